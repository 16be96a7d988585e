# Prints what bash completes after the words of a command, in one line.
#
#     complete.sh COMPLETION WORD...

source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_ipu_mlir "$1" "${@: -1}" "${@: -2:1}"
echo "[${COMPREPLY[*]}]"
