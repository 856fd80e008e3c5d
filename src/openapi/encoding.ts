/** How the parts of a form or of a multipart body are written, where the document says it. */
import type { ApiBodyMember, ParameterStyle } from "../sources/api/operation.ts";
import { isJsonType } from "./media.ts";
import { type Form, formAt, textAt } from "./plain.ts";

export type Writing = {
  readonly [K in "contentType" | "style" | "explode" | "allowReserved"]: ApiBodyMember[K] | undefined;
};

export const NO_WRITING: Writing = {
  contentType: undefined,
  style: undefined,
  explode: undefined,
  allowReserved: undefined,
};

const STYLES: readonly ParameterStyle[] = ["form", "spaceDelimited", "pipeDelimited", "deepObject"];

/** A style counts before a media type, and any word on it means that it is written like a parameter. */
export function formWriting(media: Form, name: string): Writing {
  const encoding = formAt(formAt(media, "encoding"), name);
  const { style: written, explode, allowReserved } = encoding;
  if (written === undefined && typeof explode !== "boolean" && allowReserved !== true) {
    const contentType = partType(media, name);
    return { ...NO_WRITING, contentType: contentType && isJsonType(contentType) ? contentType : undefined };
  }
  const style = STYLES.find((each) => each === written) ?? "form";
  return {
    contentType: undefined,
    style,
    explode: typeof explode === "boolean" ? explode : style === "form" || style === "deepObject",
    allowReserved: allowReserved === true ? true : undefined,
  };
}

/** The first of those that the document allows for it. */
export function partType(media: Form, name: string): string | undefined {
  const written = textAt(formAt(formAt(media, "encoding"), name), "contentType");
  const first = written?.slice(0, 200).split(",", 1)[0]?.trim();
  return !first || first.includes("*") ? undefined : first;
}
