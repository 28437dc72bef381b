import {
  createContext,
  type ElementType,
  Fragment,
  isValidElement,
  type ReactElement,
  type ReactNode,
  Suspense,
} from "react";
import { languages } from "#routes/href";
import { Link, type LinkAddressProps, linkAddress } from "../react/index.ts";

/**
 * React needs about half a microsecond for each element of HTML that it renders to a string, and a component costs as
 * much again. Many elements of a page are plain: a tag, attributes of text, text and more of them. Their HTML is
 * written here, character by character as React writes it, so that the browser's React finds what it expects. React
 * gets the outermost of them with the HTML of its content, and everything else unchanged.
 *
 * Only what a component has returned is written, and never the children of a component: nobody but React would have
 * seen these elements.
 */
export function writing<Component>(component: Component): Component {
  return isFunctionComponent(component) ? (writerOf(component) as Component) : component;
}

type FunctionComponent = (props: object, ref?: unknown) => ReactNode;

function isFunctionComponent(type: unknown): type is FunctionComponent {
  return typeof type === "function" && !type.prototype?.isReactComponent;
}

/** One for each component, because React keeps facts by component. */
const writers = new WeakMap<FunctionComponent, FunctionComponent>();

function writerOf(component: FunctionComponent): FunctionComponent {
  const known = writers.get(component);
  if (known) return known;
  const benefit = new Benefit();
  const writer: FunctionComponent = (props, ref) => {
    const node = component(props, ref);
    if (!benefit.isLikely) return node;
    tried.length = 0;
    depth = 0;
    counts.written = 0;
    counts.wasted = 0;
    const changed = withWritten(node, 0);
    benefit.add(counts);
    return changed;
  };
  // React names the state of a form by it.
  Object.defineProperty(writer, "name", { value: component.name });
  writers.set(component, writer);
  return writer;
}

/** Elements that the present component returned: those that were written, and those tried or copied in vain. */
const counts = { written: 0, wasted: 0 };

/** As many are in a small page, or in a few lines of a table. */
const judgedElements = 100;

/**
 * Whether writing the elements of a component is likely to be of benefit. Where each line of a list has a component or
 * an image, nothing of the list can be written, and trying it costs a third of React's time on top. A written element
 * gains about as much as a wasted one costs.
 */
class Benefit {
  isLikely = true;
  #written = 0;
  #wasted = 0;

  add({ written, wasted }: typeof counts): void {
    this.#written += written;
    this.#wasted += wasted;
    if (this.#written + this.#wasted < judgedElements) return;
    this.isLikely = this.#written > this.#wasted;
    // The latest renderings count most.
    this.#written /= 2;
    this.#wasted /= 2;
  }
}

/**
 * From the inside outwards, the elements around the first that only React can write: what was tried in vain need not be
 * tried again. They are met again in this order, so that the last one is always the next. An array, because a set that
 * is emptied keeps its former entries until a full collection.
 */
const tried: ReactElement[] = [];

/** Few pages have a tenth of it. React goes on with an empty stack when quotations in quotations have filled one. */
const deepest = 200;

interface Props {
  children?: ReactNode;
  dangerouslySetInnerHTML?: unknown;
}

/** The same node for React, with plain elements as HTML. */
function withWritten(node: ReactNode, level: number): ReactNode {
  if (typeof node !== "object" || node === null || level > deepest) return node;
  if (Array.isArray(node)) return listWithWritten(node, level);
  if (!isValidElement<Props>(node)) return node;
  const wasTried = tried.at(-1) === node;
  if (wasTried) tried.pop();
  // `Link` has no state, so that it may be called here.
  const element = node.type === Link ? sameElement(node, "a", anchorProps(node.props)) : node;
  return elementWithWritten(element, wasTried, level);
}

function elementWithWritten(element: ReactElement<Props>, wasTried: boolean, level: number): ReactElement {
  const { type, props } = element;
  if (isFunctionComponent(type)) return sameElement(element, writerOf(type), props);
  const isPlain = typeof type === "string" && tags.has(type);
  if (!isPlain && !isSeenByReactAlone(type)) return element;
  const { children } = props;
  if (typeof children !== "object" || children === null || props.dangerouslySetInnerHTML != null) return element;
  const content = !isPlain || wasTried ? undefined : tryContent(children);
  if (content !== undefined)
    return sameElement(element, type, { ...props, children: undefined, dangerouslySetInnerHTML: { __html: content } });
  const changed = withWritten(children, level + 1);
  return changed === children ? element : sameElement(element, type, { ...props, children: changed });
}

function tryContent(children: ReactNode): string | undefined {
  met = 0;
  const content = writeContent(children);
  if (content === undefined) counts.wasted += met;
  else counts.written += met;
  return content;
}

/** What is around children and does not look at them: of components one cannot know it. */
function isSeenByReactAlone(type: ReactElement["type"]): boolean {
  // The types of React know only strings and functions.
  const other: unknown = type;
  if (other === Fragment || other === Suspense) return true;
  return typeof other === "object" && other !== null && "$$typeof" in other && other.$$typeof === contextType;
}

const contextType: unknown = Object.getOwnPropertyDescriptor(createContext(null), "$$typeof")?.value;

function listWithWritten(list: readonly ReactNode[], level: number): readonly ReactNode[] {
  let changed: ReactNode[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const node = list[index];
    const written = withWritten(node, level + 1);
    if (written !== node) {
      changed ??= [...list];
      changed[index] = written;
    }
  }
  return changed ?? list;
}

/** A copy with the same key. The children's keys were checked when they were created. */
function sameElement(element: ReactElement, type: ReactElement["type"], props: Props): ReactElement<Props> {
  counts.wasted++;
  return { ...element, type: type as ElementType, props } as ReactElement<Props>;
}

function anchorProps(props: Props): Props {
  return (Link(props as never) as ReactElement<Props>).props;
}

/** Whether the last that was written is text: React separates texts, because the browser's parser would join them. */
let isAfterText = false;
/** How deep the present element is inside of the outermost one. */
let depth = 0;
/** Elements that were met inside of the outermost one. */
let met = 0;

function writeContent(children: ReactNode): string | undefined {
  isAfterText = false;
  const html = writeNode(children);
  isAfterText = false;
  return html;
}

/** The HTML of a node; undefined if only React can write it. */
function writeNode(node: ReactNode): string | undefined {
  switch (typeof node) {
    case "string":
      return writeText(node);
    case "number":
    case "bigint":
      return writeText(String(node));
    case "boolean":
    case "undefined":
      return "";
    case "object":
      if (node === null) return "";
      if (Array.isArray(node)) return writeList(node);
      return isValidElement<Props>(node) ? writeElement(node) : undefined;
    default:
      return undefined;
  }
}

function writeText(text: string): string {
  if (text === "") return "";
  const html = isAfterText ? `<!-- -->${escapeAsReact(text)}` : escapeAsReact(text);
  isAfterText = true;
  return html;
}

function writeList(list: readonly ReactNode[]): string | undefined {
  let html = "";
  for (let index = 0; index < list.length; index++) {
    const written = writeNode(list[index]);
    if (written === undefined) return undefined;
    html += written;
  }
  return html;
}

function writeElement(element: ReactElement<Props>): string | undefined {
  met++;
  if (depth === deepest) return undefined;
  depth++;
  const { type, props } = element;
  const html =
    typeof type === "string"
      ? writePlain(type, props)
      : type === Fragment
        ? writeNode(props.children)
        : type === Link
          ? writeLink(props)
          : undefined;
  depth--;
  if (html === undefined) tried.push(element);
  return html;
}

/** As `writePlain` the element that `Link` returns. */
function writeLink(props: Props): string | undefined {
  if (languages) return writePlain("a", anchorProps(props));
  const address = linkAddress(props as LinkAddressProps);
  // Data without types may be anything.
  if (typeof address !== "string" || !plainAddress.test(address)) return undefined;
  const attributes = writeAttributes(props, anchorTag, linkAttributes);
  const content = attributes === undefined ? undefined : writeContent(props.children);
  return content === undefined ? undefined : `<a href="${escapeAsReact(address)}"${attributes}>${content}</a>`;
}

function writePlain(type: string, props: Props): string | undefined {
  const tag = tags.get(type);
  if (tag === undefined) return undefined;
  const attributes = writeAttributes(props, tag, plainAttributes);
  if (attributes === undefined) return undefined;
  if (tag.isVoid) {
    isAfterText = false;
    return props.children == null ? `${tag.start}${attributes}/>` : undefined;
  }
  const content = writeContent(props.children);
  return content === undefined ? undefined : `${tag.start}${attributes}>${content}${tag.end}`;
}

function writeAttributes(props: object, tag: Tag, kinds: AttributeKinds): string | undefined {
  let html = "";
  for (const name in props) {
    // The commonest, and React writes no attribute for these names and values.
    if (name === "children") continue;
    const value: unknown = (props as Record<string, unknown>)[name];
    if (name[0] === "o" && name[1] === "n" && name.length > 2) continue;
    if (value == null && kinds.get(name)?.values !== "own") continue;
    const written = writeAttribute(kindOf(name, kinds), tag, value);
    if (written === undefined) return undefined;
    html += written;
  }
  return html;
}

function writeAttribute(kind: AttributeKind | undefined, tag: Tag, value: unknown): string | undefined {
  if (kind === undefined || kind.values === "own") return undefined;
  const { values, start } = kind;
  if (values === "none") return "";
  if (values === "option") return value ? `${start}${escapeAsReact(String(value))}"` : "";
  if (values === "switch") return value ? `${start}"` : "";
  if (values === "address" && (tag !== anchorTag || typeof value !== "string" || !plainAddress.test(value)))
    return undefined;
  switch (typeof value) {
    case "string":
      return values === "flag" ? undefined : `${start}${escapeAsReact(value)}"`;
    case "number":
      return values === "flag" ? undefined : `${start}${value}"`;
    case "boolean":
      if (values === "flag") return value ? `${start}"` : "";
      return values === "any" ? `${start}${value}"` : undefined;
    default:
      return undefined;
  }
}

interface Tag {
  start: string;
  end: string;
  isVoid: boolean;
}

/** Elements that React writes alike wherever they are, without effects on the rest of the document. */
const tags: ReadonlyMap<string, Tag> = new Map(
  [
    "a abbr address article aside b bdi blockquote button caption cite code dd del details dfn div dl dt em fieldset",
    "figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup i ins kbd label legend li main mark nav ol p q s samp",
    "section small span strong sub summary sup table tbody td tfoot th thead time tr u ul var br hr wbr",
  ]
    .flatMap((line) => line.split(" "))
    .map((name) => [name, { start: `<${name}`, end: `</${name}>`, isVoid: /^(?:br|hr|wbr)$/.test(name) }]),
);

interface AttributeKind {
  start: string;
  /**
   * Which values are written here: texts and numbers, those and booleans, addresses, or whether the attribute is there.
   * `option` and `switch` are those of a link, whatever their type; `none` is no attribute. `own` is what a link writes
   * for them: given beside them, the last one counts.
   */
  values: "text" | "any" | "address" | "flag" | "option" | "switch" | "none" | "own";
}

type AttributeKinds = Map<string, AttributeKind>;

const anchorTag = tags.get("a") as Tag;

const text = "id title lang dir role target rel type dateTime colSpan scope hrefLang";

const plainAttributes: AttributeKinds = new Map([
  ["ref", { start: "", values: "none" }],
  ...text.split(" ").map((name): [string, AttributeKind] => [name, { start: ` ${name}="`, values: "text" }]),
  ["className", { start: ' class="', values: "text" }],
  ["htmlFor", { start: ' for="', values: "text" }],
  ["tabIndex", { start: ' tabindex="', values: "text" }],
  ["hidden", { start: ' hidden="', values: "flag" }],
  ["disabled", { start: ' disabled="', values: "flag" }],
  ["open", { start: ' open="', values: "flag" }],
  ["href", { start: ' href="', values: "address" }],
]);

const linkAttributes: AttributeKinds = new Map([
  ...plainAttributes,
  ...["to", "params", "search", "hash"].map((name): [string, AttributeKind] => [name, { start: "", values: "none" }]),
  ...["prefetch", "scroll"].map((name): [string, AttributeKind] => [
    name,
    { start: ` data-${name}="`, values: "option" },
  ]),
  ...["replace", "transition", "dialog"].map((name): [string, AttributeKind] => [
    name,
    { start: ` data-${name}="`, values: "switch" },
  ]),
  ...["prefetch", "scroll", "replace", "transition", "dialog"].map((name): [string, AttributeKind] => [
    `data-${name}`,
    { start: "", values: "own" },
  ]),
]);
linkAttributes.delete("href");

/** An address that can be no `javascript:`, which React replaces. */
const plainAddress = /^(?:[/#?.]|https?:|mailto:|tel:|[^:]*$)/;

const dataName = /^(?:data|aria)-[a-z\d-]+$/;
/** An application has a few dozen; more come from data. */
const kindsAtMost = 500;

function kindOf(name: string, kinds: AttributeKinds): AttributeKind | undefined {
  const known = kinds.get(name);
  if (known !== undefined || !dataName.test(name)) return known;
  const kind: AttributeKind = { start: ` ${name}="`, values: "any" };
  if (kinds.size < kindsAtMost) kinds.set(name, kind);
  return kind;
}

const special = /["'&<>]/;

/** As React escapes texts and attributes. */
function escapeAsReact(text: string): string {
  return special.test(text) ? text.replace(/["'&<>]/g, (character) => entities[character] ?? "") : text;
}

const entities: Readonly<Record<string, string>> = {
  '"': "&quot;",
  "'": "&#x27;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
};
