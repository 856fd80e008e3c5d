/** What `npm run generate` makes of the figures of a cluster: docs/scale.md and its picture. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { resourcesOf, rough } from "../scripts/cluster/estimates.ts";
import { readFigures } from "../scripts/cluster/figures.ts";
import { withFigures } from "../scripts/cluster/scale-page.ts";
import { scalePicture } from "../scripts/cluster/scale-picture.ts";

const PAGE = readFileSync(new URL("../docs/scale.md", import.meta.url), "utf8");

it("every part of the page is made of figures that are there", () => {
  const emptied = PAGE.replace(/(<!-- (?!end)\w+ -->\n)[\s\S]*?(?=<!-- end -->)/g, (_, head: string) => head);
  assert.ok(emptied.length < PAGE.length / 1.5);
  assert.equal(withFigures(emptied, readFigures()), PAGE);
  assert.doesNotMatch(PAGE, /NaN|undefined|Infinity/);
});

it("what is scarcest stands first, and a cost that is twice as high carries half as far", () => {
  const figures = readFigures();
  const shares = resourcesOf(figures).map(({ carries, wanted }) => carries / wanted);
  assert.deepEqual(
    shares,
    shares.toSorted((one, other) => one - other),
  );
  const { leases } = figures.measured;
  const dearer = { ...leases, renewMicroseconds: leases.renewMicroseconds * 2 };
  const lease = (from: typeof figures): number =>
    resourcesOf(from).find(({ name }) => name.includes("lease"))?.carries ?? 0;
  const half = lease({ ...figures, measured: { ...figures.measured, leases: dearer } });
  assert.ok(Math.abs(half / lease(figures) - 0.5) < 1e-9);
});

it("the picture has a bar for each resource", () => {
  const picture = scalePicture(readFigures());
  for (const { name, carries } of resourcesOf(readFigures()))
    assert.ok(picture.includes(name) && picture.includes(rough(carries)), name);
});
