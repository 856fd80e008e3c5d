/**
 * A set of objects that come and go with every call. A `Set` would do, but its table is made anew again and again, each old
 * one pointing to the next: what was once in it stays alive until a whole garbage collection, and the small ones, which
 * have to copy all that, take several times as long. Here a member knows its own place, and leaves nothing behind.
 */

export interface IndexedMember {
  /** Its place in the set; −1 outside. The set's own. */
  place: number;
}

/** In no particular order. A member is in one set at most. */
export class IndexedSet<Member extends IndexedMember> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: Member): void {
    if (member.place >= 0) return;
    member.place = this.#members.length;
    this.#members.push(member);
  }

  /** Tells whether it was there. */
  delete(member: Member): boolean {
    const { place } = member;
    if (this.#members[place] !== member) return false;
    const last = this.#members.pop() as Member;
    if (last !== member) {
      this.#members[place] = last;
      last.place = place;
    }
    member.place = -1;
    return true;
  }

  /** As they are now: whoever leaves while one looks is still among them. */
  all(): readonly Member[] {
    return [...this.#members];
  }
}
