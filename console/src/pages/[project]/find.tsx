/** Never shown: its data leads on to what was found. */
export default function Find() {
  return null;
}
