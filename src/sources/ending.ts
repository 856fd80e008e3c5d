/** What callers are told of a child's end. What it wrote before it died may hold a path or a secret: the log has it. */
export function tellableEnding(reason: string): string {
  return /^(?:exited with code -?\d+|killed by \w+)/.exec(reason)?.[0] ?? reason;
}
