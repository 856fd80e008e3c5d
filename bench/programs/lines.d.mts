import type { Readable } from "node:stream";
export function eachLine(stream: Readable | null, onLine: (line: string) => void, onChunkEnd?: () => void): void;
