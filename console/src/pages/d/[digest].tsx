/** Never shown: its data leads on to the event. */
export default function Digest() {
  return null;
}
