export default function Render(): never {
  throw new TypeError("Cannot read the name of an order that is not there.");
}
