/**
 * Shell script with the arguments: folder, commands that clean up, program, its arguments.
 *
 * The shell becomes the program (`exec`), so signals to the child reach the program itself. Before
 * that it leaves a guard behind, which reads the pipe that the Node process holds the other end of:
 * a line says that the program has ended; the end of the pipe says that the Node process has, in
 * whatever way, SIGKILL included. Then the guard kills the program with all the processes it has
 * made (some of which may be stopped, and would stay so) and removes its folder.
 *
 * The guard is made by a shell that ends at once, so that it is no child of the program, which
 * would be told of the guard's end.
 */
export const guardScript = `
processes() {
  if [ -r /proc/self/stat ]; then
    for stat in /proc/[0-9]*/stat; do
      { IFS= read -r line <"$stat"; } 2>/dev/null || continue
      pid="\${stat#/proc/}"
      set -- \${line##*) }
      echo "\${pid%/stat} $2"
    done
  else
    ps -A -o pid= -o ppid=
  fi
}
kill_children() {
  for child in $(processes | while read -r pid parent; do [ "$parent" != "$1" ] || echo "$pid"; done); do
    kill -STOP "$child"
    ( kill_children "$child" )
    kill -KILL "$child"
  done
}
guard() {
  IFS= read -r _ <&3 && return
  kill -STOP $$
  kill_children $$
  kill -KILL $$
  eval "$2"
  # A process that is being killed may still have made a file.
  for attempt in 1 2 3 4 5; do
    rm -rf -- "$1" && break
    sleep 1
  done
}
( guard "$1" "$2" >/dev/null 2>&1 & )
shift 2
exec "$@" 3<&-
`;
