// What the scripts in static/js may assume about pages, where TypeScript's own types of the DOM know less.

type Tags = HTMLElementTagNameMap;
type Tag = keyof Tags;
type StartsWith<K extends Tag> = K | `${K}[${string}` | `${K}#${string}` | `${K}.${string}`;
type EndsWith<K extends Tag> = `${string} ${K}[${string}`;

// "form[data-card]" finds a form; "[data-card]" finds any HTML element.
interface ParentNode {
  querySelector<K extends Tag>(selectors: StartsWith<K>): Tags[K] | null;
  querySelector<K extends Tag>(selectors: EndsWith<K>): Tags[K] | null;
  querySelector(selectors: string): HTMLElement | null;
  querySelectorAll<K extends Tag>(selectors: StartsWith<K>): NodeListOf<Tags[K]>;
  querySelectorAll<K extends Tag>(selectors: EndsWith<K>): NodeListOf<Tags[K]>;
  querySelectorAll(selectors: string): NodeListOf<HTMLElement>;
}

interface Element {
  closest<K extends Tag>(selectors: StartsWith<K>): Tags[K] | null;
  closest(selectors: string): HTMLElement | null;
}

// Clicks and keys come from elements, and forms are sent by themselves.
interface UIEvent {
  readonly target: HTMLElement;
}

interface SubmitEvent {
  readonly target: HTMLFormElement;
}
