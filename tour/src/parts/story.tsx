import "./story.css";
import type { CodePiece } from "./code.tsx";

export interface StoryProps {
  route: string;
  file: string;
  message: string;
  lines: readonly { number: number; pieces: readonly CodePiece[]; throws: boolean }[];
}

const digest = "7K2M-9QXD-4TBA";

/**
 * What becomes of one error, in five moments between the visitor's page and the operator's event. The error is a real
 * one of this tour; the digest is an example. Positions are styles, because a phone has the parts below each other.
 */
export function Story({ route, file, message, lines }: StoryProps) {
  const line = lines.find(({ throws }) => throws)?.number;
  const moments = [
    { name: "Thrown", says: `in ${file}, line ${line}` },
    { name: "On the disk", says: "before anything is answered" },
    { name: "Page sent", says: "with its digest, and status 500" },
    { name: "Read out", says: "twelve characters, by telephone" },
    { name: "Found", says: "this occurrence, not one like it" },
  ];
  const told = moments.map(({ name, says }) => `${name}: ${says}.`).join(" ");
  return (
    <svg
      className="story"
      role="img"
      aria-label={`What becomes of an error. ${told} The visitor's page and the operator's event show the same digest.`}
    >
      <g className="story-page">
        <rect className="story-card" width="300" height="196" rx="14" />
        <path className="story-hair" d="M0 36.5h300" />
        <path
          className="story-icon"
          d="M16.5 17.500h7v5.500h-7zM17.800 17.500v-2.300a2.200 2.200 0 0 1 4.400 0v2.300"
        />
        <text className="story-small" x="32" y="23">
          {route}
        </text>
        <text className="story-title" x="20" y="70">
          Application error
        </text>
        <text className="story-soft" x="20" y="94">
          A server-side exception has occurred.
        </text>
        <rect className="story-sunk" x="20" y="112" width="260" height="60" rx="9" />
        <text className="story-small" x="34" y="134">
          Digest
        </text>
        <text className="story-digest" x="34" y="158">
          {digest}
        </text>
      </g>
      <g className="story-moments">
        <path className="story-rope" d="M8 14v224" />
        <path className="story-rope phone" d="M8 -32V14M8 238v48" />
        <path className="story-rope wide" d="M-39 126H0M88 238h201M-32 119l-7 7 7 7M282 231l7 7-7 7" />
        <path className="story-run" d="M8 14v224" pathLength="100" />
        {moments.map(({ name, says }, index) => (
          <g key={name} transform={`translate(0 ${index * 56})`}>
            {index === 0 ? (
              <path className="story-thrown" d="M8 6l8 8-8 8-8-8z" />
            ) : (
              <circle className="story-knot" cx="8" cy="14" r="5" />
            )}
            <text className="story-name" x="30" y="14">
              {name}
            </text>
            <text className="story-soft" x="30" y="36">
              {says}
            </text>
          </g>
        ))}
      </g>
      <g className="story-event">
        <rect className="story-card flex" height="282" rx="14" />
        <svg className="story-clip" height="282" aria-hidden="true">
          <path className="story-hair" d="M0 36.5h460" />
          <path
            className="story-icon"
            d="M20 22.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM23.400 21.400l3.100 3.100"
          />
          <text className="story-code strong" x="36" y="23">
            {digest}
          </text>
          <text className="story-title" x="20" y="70">
            Error
          </text>
          <text className="story-soft" x="20" y="94">
            {message}
          </text>
          <rect className="story-sunk plain" y="116" width="460" height="84" />
          {lines.map(({ number, pieces, throws }, index) => (
            <g key={number} transform={`translate(0 ${126 + index * 22})`}>
              {throws && <rect className="story-fails" width="460" height="22" />}
              {throws && <rect className="story-fails edge" width="2" height="22" />}
              <text className="story-code number" x="30" y="15">
                {number}
              </text>
              <text className="story-code" x="42" y="15" xmlSpace="preserve">
                {pieces.map(([kind, text], at) => (
                  <tspan key={String(at)} className={kind || undefined}>
                    {text}
                  </tspan>
                ))}
              </text>
            </g>
          ))}
          <path className="story-hair" d="M0 200.5h460" />
          <text className="story-small" x="20" y="228">
            Request
          </text>
          <text className="story-code strong" x="92" y="228">
            GET {route}
          </text>
          <text className="story-small" x="20" y="254">
            Answer
          </text>
          <text className="story-code strong" x="92" y="254">
            500, with the digest
          </text>
        </svg>
      </g>
    </svg>
  );
}
