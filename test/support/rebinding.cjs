/**
 * Loaded into a hub before anything else: names that end in `.rebind.test` have a public address the first time they are
 * looked up, this machine's the next time, and so on. What stands for the public address is the listener at port
 * REBIND_DECOY of this machine, so that no packet leaves it; every other address is connected to as it is.
 */
const dns = require("node:dns/promises");
const net = require("node:net");
const { syncBuiltinESMExports } = require("node:module");
const process = require("node:process");

const DECOY = Number(process.env["REBIND_DECOY"]);
const PUBLIC = "93.184.215.14";
const lookups = new Map();
const { lookup } = dns;
const { connect } = net;

dns.lookup = async (name, options) => {
  if (!name.endsWith(".rebind.test")) return lookup(name, options);
  const before = lookups.get(name) ?? 0;
  lookups.set(name, before + 1);
  return [{ address: before % 2 === 0 ? PUBLIC : "127.0.0.1", family: 4 }];
};

net.connect = (options, ...rest) => {
  if (!options?.host?.endsWith(".rebind.test")) return connect(options, ...rest);
  const socket = new net.Socket();
  options.lookup(options.host, { all: true }, (error, found) => {
    if (error) socket.destroy(error);
    else socket.connect(found[0].address === PUBLIC ? DECOY : Number(options.port), "127.0.0.1");
  });
  return socket;
};

syncBuiltinESMExports();
