/**
 * The section `cluster` of `zaguan.json`: what a hub keeps outside its own machine, and how it becomes one of several nodes. Names of
 * nodes are checked here, since a source that is pinned to a misspelt one would run nowhere; addresses and secrets are checked where
 * they are used, by those who can say what is wrong with them without repeating a password.
 */
import { resolve } from "node:path";
import { z } from "zod";
import type { Of } from "../contract/fields.ts";

/** As `isNodeName` in `bus/names.ts` has it, which is not loaded for a file alone. */
const NODE = /^[a-z0-9](?:[a-z0-9_-]{0,30}[a-z0-9])?$/;
const NODE_FORM = "lower-case letters, digits, - and _, up to 32 characters, with a letter or digit at both ends";

/** No pattern in the JSON Schema: an editor would refuse a variable in the place of a name. */
export const nodeName = z.string().refine((text) => NODE.test(text), {
  error: `expected the name of a node, such as "garage": ${NODE_FORM}`,
});

const path = z.string().min(1).optional();

export const clusterSchema = z
  .strictObject({
    database: z
      .string()
      .min(1)
      .optional()
      .describe(
        "A PostgreSQL database in the place of the file in the data folder: postgres://user:password@host:5432/database.",
      ),
    nats: z
      .string()
      .min(1)
      .optional()
      .describe(
        "NATS, over which the nodes of a cluster talk to each other: nats://user:password@host:4222 or tls://host:4222, several with commas between them. Needs a database.",
      ),
    node: nodeName.optional().describe("The name of this node in the cluster. Not set: the machine's host name."),
    prefix: z
      .string()
      .min(1)
      .default("zaguan")
      .describe("What all subjects of this cluster in NATS begin with; clusters on one NATS need different ones."),
    secretFile: path.describe(
      "The file with the secret that all nodes share, which only its owner may read. ZAGUAN_CLUSTER_SECRET comes first.",
    ),
    natsCredsFile: path.describe("The .creds file with which we sign in at NATS."),
    natsNkeyFile: path.describe("The file with the seed of an nkey with which we sign in at NATS."),
    natsTls: z
      .strictObject({
        ca: path.describe("The file with the certificate authority of NATS, in PEM."),
        cert: path.describe("The file with the certificate that we show, in PEM."),
        key: path.describe("The file with the key of that certificate, in PEM."),
      })
      .optional()
      .describe("Certificates for the connection to NATS; any of them turns TLS on."),
  })
  .refine(({ natsCredsFile, natsNkeyFile }) => natsCredsFile === undefined || natsNkeyFile === undefined, {
    path: ["natsNkeyFile"],
    error: "cannot be combined with natsCredsFile; keep one of them",
  });

type ClusterForm = Of<typeof clusterSchema>;

/** Paths are meant from the folder of the file. */
export function toCluster({ natsTls, ...form }: ClusterForm, folder: string): ClusterForm {
  const { secretFile, natsCredsFile, natsNkeyFile } = form;
  const files = placed({ secretFile, natsCredsFile, natsNkeyFile }, folder);
  return { ...form, ...files, ...(natsTls && { natsTls: placed(natsTls, folder) }) };
}

/** Those that are given, made absolute. */
function placed<Files extends Readonly<Record<string, string | undefined>>>(files: Files, folder: string): Files {
  const given = Object.entries(files).flatMap(([name, file]) => (file === undefined ? [] : [[name, file] as const]));
  return Object.fromEntries(given.map(([name, file]) => [name, resolve(folder, file)])) as Files;
}
