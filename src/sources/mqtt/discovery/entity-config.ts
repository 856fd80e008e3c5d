/** The configuration of one entity of Home Assistant's discovery, read member by member: strangers wrote it. Pure. */
import { isObject } from "../../../contract/rules.ts";
import type { Fields } from "../../shared/tool-call.ts";
import { isTopic } from "../topics.ts";
import type { Availability, Message, Read, Write } from "./device.ts";
import { readerOf, writerOf } from "./template.ts";
import { numberOf } from "./units.ts";

const MOST_CHOICES = 200;
/** By this word a template says that there is no value. */
const NONE = "None";

export class EntityConfig {
  readonly #fields: Fields;

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  has(key: string): boolean {
    return this.#given(key) !== undefined;
  }

  text(key: string): string | undefined {
    const value = this.#given(key);
    return typeof value === "string" ? value : undefined;
  }

  /** A payload, which may have been written as a number or a truth value. Null where it was switched off. */
  payload(key: string, otherwise: string): string | null {
    if (Object.hasOwn(this.#fields, key) && this.#fields[key] === null) return null;
    const value = this.#given(key);
    return ["string", "number", "boolean"].includes(typeof value) ? String(value) : otherwise;
  }

  number(key: string, otherwise: number): number {
    return numberOf(this.#given(key)) ?? otherwise;
  }

  flag(key: string): boolean {
    return this.#given(key) === true;
  }

  /** The texts of a list. */
  list(key: string): readonly string[] {
    const value = this.#given(key);
    const texts = Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
    return texts.slice(0, MOST_CHOICES);
  }

  fields(key: string): Fields | undefined {
    const value = this.#given(key);
    return isObject(value) ? value : undefined;
  }

  /** @param convert what the template made of the message into a value; undefined where it is none */
  read(topicKey: string, templateKey: string, convert: (value: unknown) => unknown): Read | undefined {
    const topic = this.topic(topicKey);
    if (topic === undefined) return undefined;
    const reader = readerOf(this.#given(templateKey));
    if (!reader) return { topic };
    const value = (message: Message): unknown => {
      const found = reader(message);
      return found === undefined || found === null || found === NONE ? undefined : convert(found);
    };
    return { topic, value };
  }

  /** @param names by which the template may call the value */
  write(
    topicKey: string,
    templateKey: string,
    convert: (value: unknown) => unknown,
    names: readonly string[] = [],
  ): Write | undefined {
    const topic = this.topic(topicKey);
    const writer = writerOf(this.#given(templateKey), names);
    return topic === undefined || !writer
      ? undefined
      : { ...this.#callOptions(), topic, text: (value) => writer(convert(value)) };
  }

  /** As members of an object, whatever else is told at the same time. */
  writeMembers(convert: (value: unknown) => Fields): Write | undefined {
    const topic = this.topic("command_topic");
    return topic === undefined ? undefined : { ...this.#callOptions(), topic, members: convert };
  }

  /** What begins with `$` is the broker's own. */
  topic(key: string): string | undefined {
    const topic = this.text(key);
    return topic !== undefined && isTopic(topic) && !topic.startsWith("$") ? topic : undefined;
  }

  availability(): readonly Availability[] {
    const given = this.#given("availability");
    const all = Array.isArray(given) ? given.filter(isObject).map((each) => new EntityConfig(each)) : [];
    const listed = all.flatMap((each) => each.#availabilityAt("topic", "value_template"));
    return listed.length > 0 ? listed : this.#availabilityAt("availability_topic", "availability_template");
  }

  #availabilityAt(topicKey: string, templateKey: string): readonly Availability[] {
    const topic = this.topic(topicKey);
    const reader = readerOf(this.#given(templateKey));
    if (topic === undefined || !reader) return [];
    const [yes, no] = [this.payload("payload_available", "online"), this.payload("payload_not_available", "offline")];
    const isAvailable = (message: Message): boolean | undefined => {
      const value = String(reader(message));
      return value === yes ? true : value === no ? false : undefined;
    };
    return [{ topic, isAvailable }];
  }

  #callOptions(): Pick<Write, "qos" | "retain"> {
    const qos = this.#given("qos");
    return { retain: this.flag("retain"), ...((qos === 1 || qos === 2) && { qos }) };
  }

  #given(key: string): unknown {
    return (Object.hasOwn(this.#fields, key) ? this.#fields[key] : undefined) ?? undefined;
  }
}
