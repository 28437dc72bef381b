export default function BrokenErrorPage(): never {
  throw new Error("The error page cannot be rendered either.");
}
