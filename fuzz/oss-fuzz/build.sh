#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets as OSS-Fuzz and ClusterFuzz ask for it: the tree in $SRC/svmsim, with $CXX, $CXXFLAGS and
# $LIB_FUZZING_ENGINE ($CC and $CFLAGS have nothing to compile), in $WORK; programs and what they need go to $OUT, which
# can be taken elsewhere. scripts/check-fuzz-builds runs it without Docker.
set -euo pipefail
: "${SRC:?the folder of svmsim/}" "${OUT:?where programs go}" "${WORK:?where to build}"
: "${CXX:?a compiler}" "${LIB_FUZZING_ENGINE:?what links an engine, as -fsanitize=fuzzer}"
if [[ "${SANITIZER:-}" == memory ]]; then
  echo "build.sh: SANITIZER: found 'memory'; allowed: address, undefined, none (packages are not built for MemorySanitizer)" >&2
  exit 2
fi

# Packages are built with libstdc++, and a program has only one standard library.
CXXFLAGS=${CXXFLAGS:-}
export CXX CXXFLAGS="${CXXFLAGS//-stdlib=libc++/}"
export LDFLAGS="${LDFLAGS:-} -Wl,-rpath,\$ORIGIN/lib"

cd "$SRC/svmsim"
mapfile -t targets < <(python3 scripts/fuzz --list)
[[ ${#targets[@]} -gt 0 ]] || { echo "build.sh: scripts/fuzz --list names no target" >&2; exit 2; }
rm -rf "$WORK/svmsim"
meson setup --buildtype=plain -Dfuzz_engine=external "-Dfuzz_engine_library=$LIB_FUZZING_ENGINE" "$WORK/svmsim"
ninja -C "$WORK/svmsim" "${targets[@]/#/fuzz/}"

rm -rf "$OUT/lib" "$OUT/fixtures"
mkdir -p "$OUT/lib" "$OUT/fixtures"
for target in "${targets[@]}"; do
  cp "$WORK/svmsim/fuzz/$target" "$OUT/"
  # Libraries other than glibc's, and than those of the target before.
  ldd "$OUT/$target" |
    awk -v out="$OUT/" '$2 == "=>" && $3 ~ /^\// && index($3, out) != 1 &&
      $1 !~ /^lib(c|m|dl|rt|pthread|resolv)\.so/ { print $3 }' |
    xargs -r cp -Lt "$OUT/lib"
  corpus=fixtures/corpus/$target
  if [[ -d "$corpus" ]]; then
    python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" "$corpus"/*
  fi
  python3 scripts/fuzz "$target" --options >"$OUT/$target.options"
  if [[ -f "$corpus.dict" ]]; then cp "$corpus.dict" "$OUT/"; fi
done
# What targets read at run time (fuzz/fixtures_folder.h).
find fixtures -mindepth 1 -maxdepth 1 -type d ! -name corpus -exec cp -rt "$OUT/fixtures" {} +
