import { createContext, createElement, Fragment, type ReactNode, Suspense, use, useId } from "react";
import { jsx } from "react/jsx-runtime";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { Link } from "../react/index.ts";
import { writing } from "./write-elements.ts";

/** What React itself renders is the rule. */
function expectSame(node: ReactNode): void {
  // A component of its own, because one whose elements cannot be written is left to React after a while.
  const page = (): ReactNode => node;
  const [html, ofReact] = [htmlOf(writing(page)), htmlOf(page)];
  // The whole texts of deep pages are no help.
  const at = html === ofReact ? 0 : [...html].findIndex((one, index) => one !== ofReact[index]);
  expect(html.slice(Math.max(0, at - 100)).slice(0, 300)).toBe(ofReact.slice(Math.max(0, at - 100)).slice(0, 300));
}

function htmlOf(component: () => ReactNode): string {
  try {
    return renderToString(createElement(component));
  } catch (error) {
    return String(error);
  }
}

const Theme = createContext("light");

function Card({ children }: { children?: ReactNode }): ReactNode {
  return (
    <section>
      <h2>
        <b>{useId()}</b>
      </h2>
      <div>
        <p>{use(Theme)}</p>
        {children}
      </div>
    </section>
  );
}

function createPart() {
  return ({ children }: { children?: ReactNode }): ReactNode => <span id={useId()}>{children}</span>;
}

test("plain elements become the same HTML", () => {
  expectSame(
    <article className="a" id="b" title={"\"<&>'"} data-x={1} data-on={false} aria-hidden={true} tabIndex={-1}>
      <h1>{'Tom & "Jerry" <3 it\'s'}</h1>
      text{1}
      {""} {null}
      {undefined}
      {true}
      {2n}
      {createElement(Fragment, null, "a", "b", <b key="c">c</b>, "d")}
      {["x", "y", <i key="i">z</i>, ["deep", 0, -0, Number.NaN]]}
      <br />
      more
      <hr className="line" />
      <table>
        <tbody>
          <tr>
            <td colSpan={2}>1</td>
          </tr>
        </tbody>
      </table>
      <label htmlFor="b" hidden>
        <span lang="de">Größe</span>
      </label>
      <button type="button" disabled onClick={() => undefined}>
        <em>press</em>
      </button>
      <details open={false}>
        <summary>
          <time dateTime="2026-01-01">then</time>
        </summary>
      </details>
    </article>,
  );
});

test("links are written with their components", () => {
  expectSame(
    <nav>
      <Link to="/" id="home" prefetch="none" replace>
        Home
      </Link>
      <Link to="/items/[id]" params={{ id: "a b/ü" }} hash="c" prefetch="viewport">
        <b>Item</b> {7}
      </Link>
      {["/a", "/b?x=1&y"].map((to) => (
        <Link key={to} to={to} className={to}>
          {to}
        </Link>
      ))}
      {["", "items/7", "java\nscript:alert(1)", "ftp:x"].map((address) => (
        <a key={address} href={address}>
          {address}
        </a>
      ))}
    </nav>,
  );
});

test("React renders what only it can: components, styles, images, forms and more", () => {
  expectSame(
    <div>
      before
      <p>
        <b>plain</b>
      </p>
      <p style={{ color: "red" }}>
        <b>styled</b>
      </p>
      <Theme value="dark">
        <Card>
          <ul>
            <li>inside</li>
          </ul>
        </Card>
      </Theme>
      {[<Card key="a" />, <Card key="b">{useNothing()}</Card>]}
      <Suspense fallback={<p>wait</p>}>
        <Card />
      </Suspense>
      <img src="/a.png" alt="" />
      <form action="/x">
        <p>
          <input name="a" defaultValue="1" />
          <select defaultValue="b">
            <option value="a">A</option>
            <option value="b">B</option>
          </select>
          <textarea defaultValue="t" />
        </p>
      </form>
      <pre>
        <b>{"\n"}x</b>
      </pre>
      <svg viewBox="0 0 1 1">
        <title>t</title>
        <path strokeWidth={2} d="M0" />
      </svg>
      <div>
        {jsx("p", { dangerouslySetInnerHTML: { __html: "<i>own</i>" } })}
        {jsx("x-own" as "div", { children: <b>custom</b> })}
      </div>
      after{1}
    </div>,
  );
});

function useNothing(): ReactNode {
  return (
    <p>
      <b>child of a component</b>
    </p>
  );
}

let seen: unknown;

function Look({ children }: { children: { props: { children: unknown } } }): ReactNode {
  seen = children.props.children;
  return null;
}

test("a component finds the elements inside of it as they were given", () => {
  const inner = <b>inner</b>;
  const page = (): ReactNode => (
    <div>
      <Look>{(<p>{inner}</p>) as never}</Look>
    </div>
  );
  htmlOf(writing(page));
  expect(seen).toBe(inner);
});

test("attributes and addresses that the types refuse are written as by React", () => {
  const anything: unknown[] = [undefined, null, true, 7, Symbol("s"), ["/a&b"], new URL("https://x.example/?a&b")];
  const linkOf = (props: object): ReactNode => createElement(Link, { ...props, children: "x" } as never);
  for (const to of anything) expectSame(<nav>{linkOf({ to })}</nav>);
  for (const own of ["x", null, undefined, false])
    expectSame(<p>{linkOf({ to: "/a", prefetch: "none", "data-prefetch": own })}</p>);
  for (const html of [false, "", 0, null, undefined])
    expectSame(
      <p>
        {createElement("div", { ["dangerouslySetInnerHTML" as string]: html }, <b key="b">other</b>, "text")}
        <Card />
      </p>,
    );
});

test("a tree that is too deep for one stack is left to React", () => {
  const quoted = (levels: number, inner: ReactNode): ReactNode => {
    let node = inner;
    for (let at = 0; at < levels; at++) node = <blockquote>a{node}</blockquote>;
    return node;
  };
  // From 400 on, React 19.3 itself loses texts while its code is not compiled yet.
  expectSame(quoted(230, "text"));
  expectSame(quoted(230, <Card />));
  const deep = quoted(20_000, "text");
  const writer = writing((): ReactNode => deep);
  expect(writer()).toBe(deep);
});

test("a component is left to React when little of it can be written", () => {
  const rendered = (line: ReactNode): number => {
    const node = <ul>{Array.from({ length: 10 }, () => line)}</ul>;
    const writer = writing((): ReactNode => node);
    let times = 0;
    while (times < 50 && writer() !== node) times++;
    return times;
  };
  const plain = (
    <li key="a">
      <b>1</b>
    </li>
  );
  expect(rendered(plain)).toBe(50);
  expect(
    rendered(
      <li key="a">
        <b>1</b>
        <Card />
      </li>,
    ),
  ).toBeLessThan(10);
});

test("random trees of elements are written as by React", () => {
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const texts = ["", "a", "<b>&", " ", 0, 12.5, null, false, undefined, "'\""];
  const node = (depth: number): ReactNode => {
    const kind = depth <= 0 ? 0 : next(9);
    const children = Array.from({ length: depth > 0 ? next(4) : 0 }, () => node(depth - 1));
    if (kind < 3) return texts[next(texts.length)];
    if (kind === 3) return createElement(Fragment, null, ...children);
    if (kind === 4) return createElement(createPart(), null, ...children);
    if (kind === 5) return children.map((child, at) => createElement("p", { key: String(at) }, child));
    if (kind === 6) return createElement(Link, { to: "/a" }, ...children);
    return createElement("div", { className: String(texts[next(texts.length)]) }, ...children);
  };
  for (let round = 0; round < 400; round++) expectSame(createElement("main", null, node(6)));
});
