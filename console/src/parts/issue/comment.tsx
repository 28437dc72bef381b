import type { ReactNode } from "react";
import { jsx } from "react/jsx-runtime";

/** A text, or an element with what is in it. There are no other elements and attributes. */
export type CommentPart =
  | string
  | {
      tag: "p" | "pre" | "blockquote" | "ul" | "ol" | "li" | "code" | "strong" | "em" | "a";
      of: readonly CommentPart[];
      /** Of a numbered list: its first number. */
      start?: number;
      /** Of a link: a web or mail address, or an issue. */
      to?: string;
      isOutside?: boolean;
    };

export function Comment({ of }: { of: readonly CommentPart[] }): ReactNode {
  return of.map((part, place) =>
    typeof part === "string"
      ? part
      : jsx(
          part.tag,
          {
            start: part.start,
            href: part.to,
            rel: part.isOutside && "nofollow noopener",
            children: <Comment of={part.of} />,
          },
          String(place),
        ),
  );
}
