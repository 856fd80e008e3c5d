/** What was typed where a number or JSON is asked for, as long as it is none. It stands in the value; as JSON it is text. */
export class Draft {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}
