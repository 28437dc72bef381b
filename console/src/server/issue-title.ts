/** `TypeError: cart is undefined`, as everybody writes it; a message without a type alone. */
export function titleOf({ type, title }: { type: string | undefined; title: string }): string {
  if (type === undefined) return title;
  return title === "" ? type : `${type}: ${title}`;
}
