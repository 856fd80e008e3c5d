/** A doubly linked list: joins at the end, leaves from anywhere in constant time, keeps nothing that has left. */

/** One place in a list; whoever holds it can take the value out again. */
export interface Link<T> {
  readonly value: T;
}

interface Node<T> extends Link<T> {
  previous: Node<T> | undefined;
  next: Node<T> | undefined;
  /** The list it stands in now; undefined once it has left. */
  list: LinkedList<T> | undefined;
}

export class LinkedList<T> implements Iterable<T> {
  #first: Node<T> | undefined;
  #last: Node<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first?.value;
  }

  push(value: T): Link<T> {
    const node: Node<T> = { value, previous: this.#last, next: undefined, list: this };
    if (this.#last) this.#last.next = node;
    else this.#first = node;
    this.#last = node;
    this.#size++;
    return node;
  }

  shift(): T | undefined {
    const node = this.#first;
    if (!node) return undefined;
    this.remove(node);
    return node.value;
  }

  /** False where it stands in this list no longer. */
  remove(link: Link<T> | undefined): boolean {
    const node = link as Node<T> | undefined;
    if (node?.list !== this) return false;
    if (node.previous) node.previous.next = node.next;
    else this.#first = node.next;
    if (node.next) node.next.previous = node.previous;
    else this.#last = node.previous;
    // A link that somebody still holds must not hold its old neighbours.
    node.previous = node.next = node.list = undefined;
    this.#size--;
    return true;
  }

  /** How many stand before it; -1 where it stands in this list no longer. */
  indexOf(link: Link<T> | undefined): number {
    const node = link as Node<T> | undefined;
    if (node?.list !== this) return -1;
    let index = 0;
    for (let before = node.previous; before; before = before.previous) index++;
    return index;
  }

  *[Symbol.iterator](): Generator<T, void> {
    for (let node = this.#first; node; node = node.next) yield node.value;
  }
}
