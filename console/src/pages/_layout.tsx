import "../../../look/fonts.css";
import "../../../look/tokens.css";
import "../look/base.css";
import "../look/controls.css";
import "../look/door.css";
import "../look/frame.css";
import "../look/issues.css";
import "../look/event.css";
import "../look/screens.css";
import "../look/overview.css";
import "../look/route.css";
import "../look/trace.css";
import "../look/live.css";
import "../look/settings.css";
import "../look/visitor.css";
import inter from "../../../look/fonts/inter.woff2?no-inline";
// The icon has the accent of the light theme, because it cannot inherit a colour from the page.
import mark from "../look/mark.svg?no-inline";

export default function Document({ data, children }: LayoutProps<"/">) {
  return (
    <>
      {data.theme && <i hidden data-theme={data.theme} />}
      <meta name="referrer" content="same-origin" />
      <link rel="icon" href={mark} />
      <link rel="preload" href={inter} as="font" type="font/woff2" crossOrigin="anonymous" />
      {children}
    </>
  );
}
