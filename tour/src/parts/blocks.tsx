import "./blocks.css";
import { createElement, type ReactNode } from "react";
import { Code, type CodePiece } from "./code.tsx";

/** A guide as data: the supported subset of Markdown. */
export type Block =
  | { kind: "heading"; depth: number; id: string; inside: readonly Inline[] }
  | { kind: "paragraph"; inside: readonly Inline[] }
  | { kind: "code"; pieces: readonly CodePiece[]; name?: string }
  | { kind: "list"; ordered: boolean; items: readonly (readonly Block[])[] }
  | { kind: "quote"; inside: readonly Block[] }
  | { kind: "table"; head: readonly (readonly Inline[])[]; rows: readonly (readonly (readonly Inline[])[])[] };

export type Inline =
  | readonly ["text" | "code", string]
  | readonly ["strong" | "em", readonly Inline[]]
  | readonly ["link", readonly Inline[], string];

export function Blocks({ blocks }: { blocks: readonly Block[] }) {
  // Text never moves, so its index is a valid key.
  return blocks.map((block, index) => <OneBlock key={String(index)} block={block} />);
}

function OneBlock({ block }: { block: Block }): ReactNode {
  switch (block.kind) {
    case "heading":
      return createElement(
        `h${block.depth}`,
        { id: block.id },
        inlines(block.inside),
        block.depth > 1 && (
          <a className="anchor" href={`#${block.id}`} aria-label={`Link to this section`}>
            #
          </a>
        ),
      );
    case "paragraph":
      return <p>{inlines(block.inside)}</p>;
    case "code":
      return <Code pieces={block.pieces} name={block.name} />;
    case "list":
      return createElement(
        block.ordered ? "ol" : "ul",
        null,
        block.items.map((item, index) => (
          <li key={String(index)}>
            <ListItem blocks={item} />
          </li>
        )),
      );
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.inside} />
        </blockquote>
      );
    case "table":
      return <Table head={block.head} rows={block.rows} />;
  }
}

/** A short item is a line, not a paragraph. */
function ListItem({ blocks }: { blocks: readonly Block[] }): ReactNode {
  const [first, ...rest] = blocks;
  if (first?.kind !== "paragraph") return <Blocks blocks={blocks} />;
  return (
    <>
      {inlines(first.inside)}
      <Blocks blocks={rest} />
    </>
  );
}

function Table({ head, rows }: Omit<Extract<Block, { kind: "table" }>, "kind">): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll a wide table
    <div className="table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={String(index)} scope="col">
                {inlines(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={String(index)}>
              {row.map((cell, at) => (
                <td key={String(at)}>{inlines(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/**
 * Called, not rendered: a guide has a thousand pieces of text, and a component for each would slow down the first
 * visit.
 */
function inlines(inside: readonly Inline[]): ReactNode[] {
  return inside.map((piece, index) => inline(piece, String(index)));
}

function inline(piece: Inline, key: string): ReactNode {
  switch (piece[0]) {
    case "text":
      return piece[1];
    case "code":
      return <code key={key}>{piece[1]}</code>;
    case "link":
      return (
        <a key={key} href={piece[2]}>
          {inlines(piece[1])}
        </a>
      );
    default:
      return createElement(piece[0], { key }, inlines(piece[1]));
  }
}
