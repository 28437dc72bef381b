export default function BrokenLayout(): never {
  throw new Error("The layout of this folder cannot be rendered.");
}
