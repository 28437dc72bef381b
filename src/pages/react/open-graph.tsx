import type { ReactNode } from "react";
import type { ImageFile } from "./image.tsx";
import { usePage } from "./page-context.ts";

export interface OpenGraphProps {
  title: string;
  description?: string;
  /** `website` by default; `article` for a text with an author. */
  type?: string;
  /** An image of the application, or one with its size. At least 1,200 × 630 pixels look good everywhere. */
  image?: Pick<ImageFile, "src" | "width" | "height">;
  /** What the image says. */
  imageAlt?: string;
  siteName?: string;
  /** Path of the page, if not the present one. */
  path?: string;
}

/**
 * What messengers and social networks show of a link to this page (https://ogp.me). The elements move to the head.
 *
 * @example <OpenGraph title={data.name} description={data.text} image={photo} />
 */
export function OpenGraph(props: OpenGraphProps): ReactNode {
  const { title, description, type = "website", image, imageAlt, siteName } = props;
  const { path, view, origin = typeof location === "undefined" ? "" : location.origin } = usePage();
  const absolute = (address: string): string => (origin === "" ? address : new URL(address, origin).href);
  const properties: Record<string, string | number | undefined> = {
    title,
    description,
    type,
    url: absolute(props.path ?? path),
    site_name: siteName,
    // As Facebook writes languages; one without a region says nothing there.
    locale: view.html?.lang.includes("-") ? view.html.lang.replace("-", "_") : undefined,
    image: image && absolute(image.src),
    "image:width": image?.width,
    "image:height": image?.height,
    "image:alt": image && imageAlt,
  };
  return (
    <>
      {Object.entries(properties).map(
        ([name, value]) => value !== undefined && <meta key={name} property={`og:${name}`} content={String(value)} />,
      )}
      <meta name="twitter:card" content={image ? "summary_large_image" : "summary"} />
    </>
  );
}
