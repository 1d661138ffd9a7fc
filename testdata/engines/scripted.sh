#!/bin/sh
# A UCI engine for tests that plays a written game: at ply N it answers with word N of its first argument,
# whichever side it has. A word may be a move, a move with a score (e2e4=31), or a way to break down:
#   crash   exit with code 3            hang    never answer again, whatever it is told
#   endless answer with a line that has no end
#   nonsense, or a move that is illegal there
#   rated   play e2e4 with the value of UCI_Elo as its score
# Its second argument, if given, is a file to which it writes its process id.
game=$1
[ -n "$2" ] && echo $$ > "$2"
ply=0
elo=1500
while read -r line; do
    case $line in
        uci)
            echo "id name scripted"
            echo "option name Hash type spin default 1 min 1 max 1024"
            echo "option name UCI_Elo type spin default $elo min 600 max 2600"
            echo "option name Clear Hash type button"
            echo "uciok"
            ;;
        isready) echo "readyok" ;;
        "setoption name UCI_Elo value "*) elo=${line##* } ;;
        "position "*)
            ply=0
            case $line in
                *" moves "*)
                    set -- ${line#* moves }
                    ply=$#
                    ;;
            esac
            ;;
        "go "*)
            set -- $game
            shift "$ply"
            case $1 in
                crash) exit 3 ;;
                endless) tr '\0' x < /dev/zero ;;
                hang) while :; do sleep 1; done ;;
                rated)
                    echo "info depth 1 score cp $elo pv e2e4"
                    echo "bestmove e2e4"
                    ;;
                *=*)
                    echo "info depth 1 score cp ${1#*=} pv ${1%=*}"
                    echo "bestmove ${1%=*}"
                    ;;
                *) echo "bestmove $1" ;;
            esac
            ;;
        quit) exit 0 ;;
    esac
done
