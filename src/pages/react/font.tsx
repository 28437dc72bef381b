import type { ReactNode } from "react";

/** A font of the application: what `import inter from "./inter.woff2?font"` gives. */
export interface FontFile {
  /** The value of `font-family`: the font, then its fallback. */
  readonly family: string;
  readonly src: string;
  /** One weight, or the range of a variable font: `100 900`. */
  readonly weight: string;
  readonly style: "normal" | "italic";
}

export interface FontProps {
  src: FontFile;
}

/**
 * Preloads a font, so that it is on its way before the browser has read the styles. For the fonts that visitors see
 * first, in the root layout.
 *
 * @example
 * import inter from "../fonts/inter.woff2?font";
 * <Font src={inter} />
 */
export function Font({ src }: FontProps): ReactNode {
  // Fonts are requested without credentials, also from the same origin, and a preload must be the same request.
  return <link rel="preload" as="font" type="font/woff2" href={src.src} crossOrigin="" />;
}
