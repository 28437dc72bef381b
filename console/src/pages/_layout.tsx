import "../../../look/tokens.css";
import "../look/base.css";
import "../look/controls.css";
import "../look/frame.css";
import "../look/issues.css";
import "../look/event.css";
import "../look/screens.css";

/** The mark in the accent of the light theme, as a picture of its own: an icon cannot take its colour from the page. */
const mark =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%230e6a4e' stroke-width='2.4' stroke-linecap='round'%3E%3Cpath d='M12 2v19M12 7c0 4-7 3-7 8v3.5c0 1.6.9 2.5 2.5 2.5M12 7c0 4 7 3 7 8v3.5c0 1.6-.9 2.5-2.5 2.5'/%3E%3C/svg%3E";

export default function Document({ children }: LayoutProps<"/">) {
  return (
    <>
      <meta name="referrer" content="same-origin" />
      <link rel="icon" href={mark} />
      {children}
    </>
  );
}
