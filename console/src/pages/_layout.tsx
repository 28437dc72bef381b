import "../../../look/tokens.css";
import "../look/base.css";
import "../look/controls.css";
import "../look/frame.css";
import "../look/issues.css";
import "../look/event.css";
import "../look/screens.css";
import "../look/live.css";
import "../look/settings.css";
// The icon has the accent of the light theme, because it cannot inherit a colour from the page.
import mark from "../look/mark.svg?no-inline";

export default function Document({ children }: LayoutProps<"/">) {
  return (
    <>
      <meta name="referrer" content="same-origin" />
      <link rel="icon" href={mark} />
      {children}
    </>
  );
}
