export interface EchoSettings {
  readonly era?: "2025" | "2026" | "both";
  readonly tools?: number;
  readonly prefix?: string;
}
export function makeEcho(settings?: EchoSettings): (text: string) => string | undefined;
