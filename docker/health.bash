#!/bin/bash
# Ask the service in this container whether it is well: exit status 0 if it answers 200.
#   es-simhash-health PORT PATH
# Bash opens the connection itself: Python takes twenty times the processor time, and the image
# has no curl.
set -eu
exec 3<>"/dev/tcp/127.0.0.1/$1"
printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$2" >&3
IFS=' ' read -r -t 4 _ status _ <&3
[[ $status == 200 ]]
