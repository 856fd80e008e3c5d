/**
 * The addresses on which this process listens, by which an outgoing connection that would reach the hub itself is known
 * before it is made. They belong to the process and not to one object of it: sockets are opened in many places, and none of
 * them may lead back here.
 */
import { networkInterfaces } from "node:os";
import { canonicalAddress, isLoopback, isUnspecified } from "./addresses.ts";

interface ListeningAddress {
  /** As the system tells it, never a name. */
  readonly address: string;
  readonly port: number;
}

const listening = new Set<ListeningAddress>();

/** Returns how to take it back. */
export function addOwnAddress(own: ListeningAddress): () => void {
  listening.add(own);
  return () => void listening.delete(own);
}

/** Whether this process listens on this port, on whatever address. */
export function listensOn(port: number): boolean {
  return [...listening].some((own) => own.port === port);
}

/** Whether a connection to this IP address and port would reach this process. */
export function isOwnAddress(address: string, port: number): boolean {
  for (const own of listening) if (own.port === port && leadsTo(own.address, address)) return true;
  return false;
}

/** Who connects to 0.0.0.0 or [::] reaches this machine by loopback. */
function leadsTo(own: string, address: string): boolean {
  if (isUnspecified(address)) return true;
  return isUnspecified(own) ? isOfThisMachine(address) : canonicalAddress(own) === canonicalAddress(address);
}

function isOfThisMachine(address: string): boolean {
  if (isLoopback(address)) return true;
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.some((one) => canonicalAddress(one.address) === canonicalAddress(address));
}
