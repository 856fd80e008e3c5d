/** A listener on every address of this machine that nobody may reach: it counts connections. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

export class Canary {
  hits = 0;
  readonly #server: Server;

  static async open(): Promise<Canary> {
    const canary = new Canary();
    canary.#server.listen(0);
    await once(canary.#server, "listening");
    return canary;
  }

  private constructor() {
    this.#server = createServer((socket) => {
      this.hits++;
      socket.on("error", () => {}).destroy();
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }
}

/** This machine, in every way that somebody has tried to write it, and what is no address at all. */
export function innerUrls(port: number): readonly string[] {
  const names = [
    "127.0.0.1",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "sub.localhost",
    "127.1",
    "127.0.1",
    "2130706433",
  ];
  const numbers = ["0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.0.0.1.", "127.8.8.8", "0.0.0.0", "0"];
  const six = ["[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]"];
  const wrapped = ["[64:ff9b::7f00:1]", "[2002:7f00:1::]", "①②⑦.⓪.⓪.①", "127。0。0。1", "%31%32%37.0.0.1"];
  const hosts = [...names, ...numbers, ...six, ...wrapped];
  const elsewhere = ["169.254.169.254", "[fd00:ec2::254]", "10.0.0.1", "192.168.0.1", "100.64.0.1", "[fe80::1]"];
  const odd = [
    `http://user@127.0.0.1:${port}/`,
    `http://example.com@127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}@127.0.0.1:${port}/`,
    `http:127.0.0.1:${port}/`,
    `http:/127.0.0.1:${port}/`,
    `http:\\\\127.0.0.1:${port}\\`,
    `http://127.0.0.1:${port}\\@example.com/`,
    `ht\ttp://127.0.0.1:${port}/`,
    ` http://127.0.0.1:${port}/ `,
    `//127.0.0.1:${port}/`,
    `http://127.0.0.1\t:${port}/`,
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    `ftp://127.0.0.1:${port}/`,
    "data:application/json,{}",
    "unix:///run/x.sock",
    `stdio:sh`,
    "javascript:0",
    `http+unix://127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}/#@example.com/`,
  ];
  return [
    ...hosts.map((host) => `http://${host}:${port}/`),
    ...hosts.filter((_, n) => n % 2 === 0).map((host) => `https://${host}:${port}/`),
    ...hosts.filter((_, n) => n % 2 === 1).map((host) => `ws://${host}:${port}/`),
    ...elsewhere.map((host) => `http://${host}:${port}/`),
    ...odd,
  ];
}
