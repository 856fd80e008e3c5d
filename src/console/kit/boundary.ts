/** Holds what fails while it is drawn: the frame stays, with a word about it and a way on. */
import { Component, type VNode } from "preact";
import type { Children } from "./html.ts";

interface BoundaryProps {
  /** Where one is: at another place it is tried anew. */
  readonly place: string;
  readonly failed: (error: unknown, again: () => void) => VNode;
  readonly children?: Children;
}

interface Failure {
  readonly error: unknown;
}

export class Boundary extends Component<BoundaryProps, { readonly failure?: Failure | undefined }> {
  static override getDerivedStateFromError(error: unknown): { failure: Failure } {
    return { failure: { error } };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override componentDidUpdate({ place }: BoundaryProps): void {
    if (this.state.failure && place !== this.props.place) this.#again();
  }

  override render({ children, failed }: BoundaryProps): Children {
    const { failure } = this.state;
    return failure ? failed(failure.error, () => this.#again()) : children;
  }

  #again(): void {
    this.setState({ failure: undefined });
  }
}
