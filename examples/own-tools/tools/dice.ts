/** The shortest useful tool: typed arguments with ranges and defaults, and an object as the answer. */
import { randomInt } from "node:crypto";
import { addTool, integer } from "zaguan/tools";

addTool({
  name: "roll_dice",
  description: "Rolls dice and tells what came up",
  properties: { dice: integer({ min: 1, max: 20, default: 1 }), sides: integer({ min: 2, max: 100, default: 6 }) },
  handler({ dice, sides }) {
    const rolls = Array.from({ length: dice }, () => randomInt(1, sides + 1));
    return { rolls, sum: rolls.reduce((sum, roll) => sum + roll) };
  },
});
