import type { ComponentProps, CSSProperties, ReactNode } from "react";

/** An image of the application: what `import photo from "./photo.jpg?image"` gives. */
export interface ImageFile {
  /** Address of a file that every browser shows. */
  readonly src: string;
  readonly width: number;
  readonly height: number;
  /**
   * The versions that a browser chooses from, by format, best first. Empty in development, without `sharp`, and for
   * drawings and animations.
   */
  readonly sources: readonly ImageSource[];
  /** A few pixels of the image, as a `data:` address. */
  readonly preview?: string;
}

export interface ImageSource {
  readonly type: string;
  readonly srcSet: string;
}

type ImageAttributes = Omit<
  ComponentProps<"img">,
  "src" | "srcSet" | "alt" | "width" | "height" | "loading" | "fetchPriority"
>;

/** All other props are those of `<img>`. */
export type ImageProps = ImageAttributes & {
  /** What the image says, for visitors who do not see it. Empty if it says nothing that the text does not. */
  alt: string;
  /** How wide it is shown, as CSS says: `(max-width: 600px) 100vw, 50vw`. By default as wide as it is. */
  sizes?: string;
  /** For the one image that a visitor sees first: it is loaded before others. All others wait until they are near. */
  priority?: boolean;
  /** `false` leaves the place empty until the image is there. */
  preview?: boolean;
} & (
    | { src: ImageFile; width?: number; height?: number }
    /** An image from elsewhere. Its size must be given, so that nothing moves when it arrives. */
    | { src: string; width: number; height: number }
  );

/**
 * An image whose place is kept until it is there, in the size and the format that fit the browser. It renders plain
 * elements and needs no script.
 *
 * @example
 * import photo from "./photo.jpg?image";
 * <Image src={photo} alt="The harbour at night" sizes="(max-width: 600px) 100vw, 600px" priority />
 */
export function Image({ src, alt, sizes, priority, preview, width, height, style, ...rest }: ImageProps): ReactNode {
  const file: ImageFile = typeof src === "string" ? { src, width: width ?? 0, height: height ?? 0, sources: [] } : src;
  const ratio = file.width / file.height;
  const shownWidth = width ?? (height === undefined ? file.width : Math.round(height * ratio));
  const shownHeight = height ?? Math.round(shownWidth / ratio);
  const shownSizes = sizes ?? `(max-width: ${shownWidth}px) 100vw, ${shownWidth}px`;
  const [best] = file.sources;
  const shownStyle = file.preview && preview !== false ? { ...previewOf(file.preview), ...style } : style;
  const image = (
    <img
      decoding="async"
      {...rest}
      {...(shownStyle && { style: shownStyle })}
      {...(priority ? { fetchPriority: "high" as const } : { loading: "lazy" as const })}
      alt={alt}
      width={shownWidth}
      height={shownHeight}
      // The last one: a browser begins to load when it is set.
      src={file.src}
    />
  );
  if (!best) return image;
  return (
    <>
      {priority && (
        <link
          rel="preload"
          as="image"
          type={best.type}
          href={file.src}
          imageSrcSet={best.srcSet}
          imageSizes={shownSizes}
          fetchPriority="high"
        />
      )}
      <picture>
        {file.sources.map(({ type, srcSet }) => (
          <source key={type} type={type} srcSet={srcSet} sizes={shownSizes} />
        ))}
        {image}
      </picture>
    </>
  );
}

/** The policy of pages allows style attributes and `data:` images. */
function previewOf(address: string): CSSProperties {
  return { backgroundImage: `url("${address}")`, backgroundSize: "cover" };
}
