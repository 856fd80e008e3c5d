/**
 * The configuration folder of a real Home Assistant for tests: the demo house, a history, and one lamp that is a template
 * over an input boolean, so that switching it changes two states.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const HOST = "127.0.0.1";

export function writeConfiguration(folder: string, port: number, moreYaml = ""): void {
  mkdirSync(join(folder, ".storage"), { recursive: true });
  writeFileSync(join(folder, "configuration.yaml"), `${configuration(port)}${moreYaml}`);
  writeFileSync(join(folder, "automations.yaml"), "[]\n");
  writeFileSync(join(folder, ".storage", "http"), lastHttp(port));
}

function configuration(port: number): string {
  return `
homeassistant: {name: Lab, latitude: 40.4, longitude: -3.7, elevation: 650, unit_system: metric, time_zone: Europe/Madrid}
http: {server_host: ${HOST}, server_port: ${port}}
api:
websocket_api:
config:
frontend:
demo:
history:
automation: !include automations.yaml
input_boolean: {salon: {name: Salon}}
light:
  - platform: template
    lights:
      salon_lamp:
        friendly_name: Lampe Salon
        value_template: "{{ is_state('input_boolean.salon', 'on') }}"
        turn_on: {service: input_boolean.turn_on, target: {entity_id: input_boolean.salon}}
        turn_off: {service: input_boolean.turn_off, target: {entity_id: input_boolean.salon}}
`.trimStart();
}

/**
 * In recovery mode Home Assistant does not look at `http:` but at where it last stood, and without that it listens on
 * every interface. So that it never does, it is told beforehand where it last stood.
 */
function lastHttp(port: number): string {
  const data = { server_host: [HOST], server_port: port };
  return JSON.stringify({ version: 1, minor_version: 1, key: "http", data });
}
