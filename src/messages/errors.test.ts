import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeError } from "../../test/support/make-error.ts";
import { ERRORS, type ErrorCode, toZaguanError } from "../errors.ts";
import { LANGUAGES, sayError } from "./catalogue.ts";
import { TRANSLATIONS } from "./translations.ts";

const CODES = Object.keys(ERRORS) as ErrorCode[];
const PLACEHOLDER = /\{(\w+)\}/g;

describe("the text of every error", () => {
  for (const code of CODES) {
    for (const language of LANGUAGES) {
      it(`${code} in ${language} names what an error of this code must bring, and nothing else`, () => {
        const named = TRANSLATIONS[language].hub[`error.${code}`].matchAll(PLACEHOLDER);
        assert.deepEqual(new Set([...named].map(([, name]) => name)), new Set(ERRORS[code].values));
      });

      it(`${code} in ${language} has no placeholder left when it is told`, () => {
        assert.doesNotMatch(sayError(language, makeError(code)), PLACEHOLDER);
      });
    }
  }

  for (const language of LANGUAGES) {
    it(`something unexpected that nobody gave a reference is told without one, in ${language}`, () => {
      const said = sayError(language, toZaguanError(new Error("at /home/me")));
      assert.doesNotMatch(said, PLACEHOLDER);
      assert.doesNotMatch(said, /home/);
    });
  }
});
