/** What every field of a form is given. */
import type { ComponentType } from "preact";
import type { Children } from "../../kit/html.ts";
import type { Problems } from "./problems.ts";
import type { Shape } from "./shape.ts";
import type { Shapes } from "./shapes.ts";
import { idOf, type Path } from "./values.ts";

/** The form as a whole. */
export interface FormScope {
  readonly shapes: Shapes;
  readonly problems: Problems;
  /** Of all ids in it: there may be several forms in a page. */
  readonly prefix: string;
}

/** The form as its fields have it. A field may hold fields: what draws them is handed on, as no two files import each other. */
interface DrawnForm extends FormScope {
  readonly Field: ComponentType<FieldProps>;
}

export interface FieldProps {
  readonly form: DrawnForm;
  readonly schema: unknown;
  readonly path: Path;
  /** Undefined while it is left out. */
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  /** What it is called by who wrote the schema. */
  readonly name: string;
  readonly required: boolean;
  /** Its name stands above it already. */
  readonly bare?: boolean | undefined;
  /** Buttons beside its name. */
  readonly actions?: Children;
}

/** What a control of one kind is given. */
export type ControlProps<Kind extends Shape["kind"] = Shape["kind"]> = FieldProps & {
  readonly shape: Extract<Shape, { kind: Kind }>;
  readonly id: string;
};

export function fieldId({ prefix }: FormScope, path: Path): string {
  return `${prefix}${idOf(path)}`;
}

/** Where the button that was pressed goes away with what it did: the keyboard goes on at the field. */
export function focusLater(id: string): void {
  setTimeout(() => document.getElementById(id)?.focus());
}
