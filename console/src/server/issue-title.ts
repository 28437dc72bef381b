/** `TypeError: cart is undefined`, or only a type or a message. */
export function titleOf({ type, title }: { type: string | undefined; title: string }): string {
  if (type === undefined) return title;
  return title === "" ? type : `${type}: ${title}`;
}
