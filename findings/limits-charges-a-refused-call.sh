#!/bin/sh
# limits 5.8.0 (PyPI): in a fixed window, a call that was refused has used up the limit.
#
# Calls of an exchange have weights. Of 10 a window, 8 are used; a listing of weight 5 is refused, as it should be. With
# a fixed window, a cancellation of weight 1 is refused after it, although 2 are left and nothing was sent: the refused
# call was counted, until the window ends. With the moving and the sliding window, the cancellation is allowed.
#
# Seen: FixedWindowRateLimiter True False False; MovingWindowRateLimiter True False True;
# SlidingWindowCounterRateLimiter True False True
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check limits==5.8.0 ||
  { echo "the package cannot be installed"; exit 1; }
"$dir/venv/bin/python" - <<'END_OF_PROGRAM'
import sys
from limits import parse, storage, strategies

kinds = [
    strategies.FixedWindowRateLimiter, strategies.MovingWindowRateLimiter,
    strategies.SlidingWindowCounterRateLimiter,
]
window, seen = parse("10/year"), []
for kind in kinds:
    limiter = kind(storage.MemoryStorage())
    seen.append([limiter.hit(window, "account", cost=weight) for weight in (8, 5, 1)])
print("; ".join(f"{kind.__name__} {' '.join(map(str, hits))}" for kind, hits in zip(kinds, seen)))
if seen != [[True, False, False], [True, False, True], [True, False, True]]:
    sys.exit("the calls are counted in another way")
END_OF_PROGRAM
