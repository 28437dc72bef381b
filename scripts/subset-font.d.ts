/** The part that scripts/make-fonts.js uses; the package has no types, and those published apart are older than it. */
declare module "subset-font" {
  export default function subsetFont(
    font: Uint8Array,
    text: string,
    options: {
      targetFormat: string;
      variationAxes: Readonly<Record<string, { min: number; max: number }>>;
      noHinting: boolean;
      keepFeatures: readonly string[];
    },
  ): Promise<Uint8Array>;
}
