/** The endpoints at which REST APIs are described in HandsAI's words (seed 004). */
import { z } from "zod";
import { at, type BodySchema, operationsOf } from "../../contract/operation.ts";
import { PAGE, PAGE_HEADERS } from "../../contract/page.ts";
import { NEW_TOOL, PROVIDER_VIEW, PROVIDERS, TOOL_CHANGE, TOOL_VIEW } from "./schemas.ts";

const ID = { id: "The tool's id, or its code." };

export const DESCRIBED = operationsOf("API tools", {
  createApiTool: {
    ...at("POST", "/admin/tools/api", "admin"),
    body: bodyOf(NEW_TOOL),
    summary: "Describe a tool: one request to a REST API",
    answers: { 201: { description: "It is there from now on, at every door.", schema: TOOL_VIEW } },
  },
  listApiTools: {
    ...at("GET", "/admin/tools/api", "unlimited"),
    query: z.object(PAGE),
    summary: "All described tools, those of providers among them",
    answers: {
      200: { description: "In the order in which they came.", schema: z.array(TOOL_VIEW), headers: PAGE_HEADERS },
    },
  },
  getApiTool: {
    ...at("GET", "/admin/tools/api/{id}", "unlimited"),
    names: ID,
    summary: "One described tool",
    answers: { 200: { description: "The tool, without its secrets.", schema: TOOL_VIEW } },
  },
  changeApiTool: {
    ...at("PUT", "/admin/tools/api/{id}", "admin"),
    names: ID,
    body: bodyOf(TOOL_CHANGE),
    summary: "Change a tool: what is absent or null stays",
    description: "Secrets that are not said stay as well, unless the tool moves to another origin.",
    answers: { 200: { description: "The tool, with the id that it had.", schema: TOOL_VIEW } },
  },
  deleteApiTool: {
    ...at("DELETE", "/admin/tools/api/{id}", "admin"),
    names: ID,
    summary: "Forget a described tool and its links",
    answers: { 204: { description: "It is gone." } },
  },
  validateApiTool: {
    ...at("POST", "/admin/tools/api/{id}/validate", "admin"),
    names: ID,
    summary: "Ask the API now, in a way that changes nothing there",
    answers: { 200: { description: "The tool, and whether it is healthy.", schema: TOOL_VIEW } },
  },
  importProviders: {
    ...at("POST", "/api/import/providers", "admin"),
    body: bodyOf(PROVIDERS),
    summary: "Take providers and their tools in, all or none",
    description:
      "Known codes are changed; tools that are not named stay. A placeholder is no secret: what was there stays.",
    answers: {
      200: { description: "The providers as they are now, without secrets.", schema: z.array(PROVIDER_VIEW) },
    },
  },
  exportProviders: {
    ...at("GET", "/api/export/providers", "unlimited"),
    query: z.object({
      ids: z
        .string()
        .max(10_000)
        .optional()
        .describe("Codes of providers, with commas between them; all if it is absent."),
    }),
    summary: "Providers and their tools, for an import elsewhere",
    answers: { 200: { description: "With placeholders where secrets were.", schema: z.array(PROVIDER_VIEW) } },
  },
});

/** Only for its type: lists, and objects that become something else once they have passed, are checked as well. */
function bodyOf<T>(schema: z.ZodType<T>): BodySchema & z.ZodType<T> {
  return schema as BodySchema & z.ZodType<T>;
}
