/** Beside the declarations of routes. A script and no module, because only there a pattern declares modules. */
export const fileTypesFile = ".holdfast/types/files.d.ts";

/** Declares what imports of files with a query give. */
export const fileTypes = `// Written by Holdfast; "holdfast types" writes it again.

/** The address, size and versions of an image, for \`<Image>\`. */
declare module "*?image" {
  const image: import("holdfast").ImageFile;
  export default image;
}

/** A font that is in the styles of the application, for \`<Font>\`. */
declare module "*?font" {
  const font: import("holdfast").FontFile;
  export default font;
}
`;
