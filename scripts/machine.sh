# shellcheck shell=bash
# What Berth needs of the machine it is built on: a JDK 25, Maven, node and npm, a Docker Engine that answers, the job
# image. Sourced by quickstart and check. Each ensure_* function uses what is there, installs what is missing where it may
# (root, apt-get), and otherwise says which command would help.

readonly JAVA_MINIMUM=25
readonly NODE_MINIMUM=18
readonly JOB_IMAGE=berth-job:latest
# On /run, so that a reboot, which ends the engine, also forgets that we had started it.
readonly ENGINE_RECORD=/run/berth-engine
readonly ENGINE_START_SECONDS=60
readonly ENGINE_STOP_SECONDS=60

ROOT_DIR=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
readonly ROOT_DIR

# The folders of dockerd, ip and mmdebstrap are not on every user's PATH.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export PATH

# ---- talking -------------------------------------------------------------------------------------------------------

note() { printf '    %s\n' "$*"; }

die() {
  printf '\n%s: %s\n' "$(basename -- "$0")" "$1" >&2
  shift
  if (($#)); then printf '  %s\n' "$@" >&2; fi
  exit 1
}

milliseconds() {
  local now=${EPOCHREALTIME/[.,]/}
  printf '%s' "$((now / 1000))"
}

# step TITLE COMMAND...: says what is being done and how long it took.
step() {
  local title=$1 began took
  shift
  began=$(milliseconds)
  printf '==> %s\n' "$title"
  "$@"
  took=$(($(milliseconds) - began))
  note "$(printf 'done in %d.%d s' $((took / 1000)) $((took % 1000 / 100)))"
}

# quietly COMMAND...: its output is shown only when it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  if ((status)); then
    printf '%s\n' "failed: $*" >&2
    tail -n 40 "$log" >&2
  fi
  rm -f "$log"
  return "$status"
}

have() { command -v "$1" >/dev/null 2>&1; }

is_root() { ((EUID == 0)); }

# ---- packages ------------------------------------------------------------------------------------------------------

APT_UPDATED=no

apt_update_once() {
  if [[ $APT_UPDATED == yes ]]; then return; fi
  APT_UPDATED=yes
  note 'apt-get update'
  # A foreign source that is down must not stop us: what is needed may still be known.
  quietly apt-get update -qq || note 'apt-get update had errors; going on with what is known'
}

apt_knows() { [[ $(apt-cache policy "$1" 2>/dev/null) == *'Candidate: '[!\(]* ]]; }

is_installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# apt_install WHAT_FOR PACKAGE...: installs those that are missing; stops with the command to run where it may not.
apt_install() {
  local purpose=$1 package missing=()
  shift
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then return; fi
  if ! have apt-get; then
    die "$purpose is missing and this system has no apt-get." \
      "Install by its own means what Debian calls: ${missing[*]}"
  fi
  if ! is_root; then
    die "$purpose is missing, and only root can install it. Run:" \
      "sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}" 'then start this again.'
  fi
  for package in "${missing[@]}"; do
    apt_knows "$package" || apt_update_once
  done
  note "apt-get install ${missing[*]}"
  # The lists may be older than the mirror: then one update and a second try.
  DEBIAN_FRONTEND=noninteractive quietly apt_get_install "${missing[@]}" || {
    APT_UPDATED=no
    apt_update_once
    DEBIAN_FRONTEND=noninteractive quietly apt_get_install "${missing[@]}" || die "could not install: ${missing[*]}"
  }
}

apt_get_install() {
  apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "$@"
}

# ---- Java and Maven ------------------------------------------------------------------------------------------------

# The feature version of the JDK in a folder, 0 where there is none. The release file spares the start of a JVM.
jdk_version() {
  local home=$1 version
  if [[ ! -x $home/bin/javac ]]; then
    printf 0
    return
  fi
  if [[ -r $home/release ]]; then
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release")
  else
    version=$("$home/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
  fi
  printf '%s' "${version:-0}"
}

# Prints the home of a JDK that is new enough; fails where there is none.
find_jdk() {
  local home on_path=
  if have javac; then on_path=$(dirname -- "$(dirname -- "$(readlink -f -- "$(command -v javac)")")"); fi
  for home in "${BERTH_JAVA_HOME:-}" "${JAVA_HOME:-}" "$on_path" /usr/lib/jvm/* /opt/jdk* /opt/java/* \
    "${SDKMAN_DIR:-$HOME/.sdkman}"/candidates/java/* "$HOME"/.jdks/*; do
    if [[ -n $home ]] && (($(jdk_version "$home") >= JAVA_MINIMUM)); then
      printf '%s\n' "$home"
      return
    fi
  done
  return 1
}

install_jdk() {
  local package
  if have apt-get && is_root; then
    for package in "openjdk-$JAVA_MINIMUM-jdk-headless" "temurin-$JAVA_MINIMUM-jdk"; do
      apt_knows "$package" || apt_update_once
      if apt_knows "$package"; then
        apt_install "a JDK $JAVA_MINIMUM" "$package"
        return
      fi
    done
  elif have apt-get; then
    for package in "openjdk-$JAVA_MINIMUM-jdk-headless" "temurin-$JAVA_MINIMUM-jdk"; do
      if apt_knows "$package"; then apt_install "a JDK $JAVA_MINIMUM" "$package"; fi
    done
  fi
  die "no JDK $JAVA_MINIMUM found, and the system's packages have none." \
    "Install one, for example Temurin $JAVA_MINIMUM from https://adoptium.net/installation/linux/," \
    'and point BERTH_JAVA_HOME or JAVA_HOME at it if it lies in an unusual place.'
}

# Sets and exports JAVA_HOME, for Maven and for bin/berth.
ensure_jdk() {
  local home
  if ! home=$(find_jdk); then
    install_jdk
    home=$(find_jdk) || die "a JDK $JAVA_MINIMUM was installed, but is in none of the places looked at."
  fi
  export JAVA_HOME=$home
  # Maven's own libraries use what newer JDKs warn of.
  export MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow ${MAVEN_OPTS:-}"
  note "JDK $(jdk_version "$JAVA_HOME") in $JAVA_HOME"
}

ensure_maven() {
  if have mvn; then
    note "Maven: $(command -v mvn)"
  else
    apt_install Maven maven
  fi
}

# ---- node and npm --------------------------------------------------------------------------------------------------

# The feature version of node, 0 where there is none.
node_version() {
  local version=
  if have node; then version=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\).*/\1/p'); fi
  printf '%s' "${version:-0}"
}

# What the build fetches the page's packages by.
ensure_node() {
  if ! have node || ! have npm; then apt_install 'node with npm' nodejs npm; fi
  if (($(node_version) < NODE_MINIMUM)); then
    die "node is $(node --version 2>/dev/null || echo missing), and the page's packages need $NODE_MINIMUM or newer." \
      'Install one, for example from https://nodejs.org/en/download, and have it first on the PATH.'
  fi
  note "node $(node --version) and npm: $(command -v npm)"
}

# ---- Python --------------------------------------------------------------------------------------------------------

# What the tests of the Python package need: the system's Python with venv, a checker of its types, git as a judge.
ensure_python() {
  { [[ -x /usr/bin/python3 ]] && /usr/bin/python3 -c 'import ensurepip, venv' 2>/dev/null; } \
    || apt_install 'Python with venv' python3 python3-venv
  have mypy || apt_install 'the checker of types' mypy
  have git || apt_install git git
}

# ---- Docker Engine -------------------------------------------------------------------------------------------------

engine_answers() { have docker && timeout 20 docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

# Whether ensure_engine has started one in this run; for the scripts that source this file.
# shellcheck disable=SC2034
ENGINE_STARTED=no

ensure_engine() {
  if ! engine_answers; then start_engine; fi
  note "Docker Engine $(docker version --format '{{.Server.Version}}')${DOCKER_HOST:+ at $DOCKER_HOST}"
}

start_engine() {
  local complaint=
  if [[ -n ${DOCKER_HOST:-} ]] && have docker; then
    die "the Docker Engine at DOCKER_HOST=$DOCKER_HOST does not answer." 'Start it, or unset DOCKER_HOST.'
  fi
  if have docker; then complaint=$(timeout 20 docker version 2>&1 >/dev/null || true); fi
  if [[ $complaint == *'permission denied'* ]]; then
    die "a Docker Engine runs, but $(id -un) may not speak to it. Run:" \
      "sudo usermod -aG docker $(id -un)" 'log out and in, and start this again.'
  fi
  if ! have dockerd || ! have iptables; then apt_install 'the Docker Engine' docker.io iptables; fi
  # Newer distributions keep the client in a package of its own.
  if ! have docker; then apt_install 'the Docker client' docker-cli; fi
  # The package may have started it by itself.
  if engine_answers; then return; fi
  if ! is_root; then
    die 'no Docker Engine answers, and only root can start one. Run:' "$(engine_start_command)" 'then start this again.'
  fi
  # shellcheck disable=SC2034
  ENGINE_STARTED=yes
  mkdir -p "$ENGINE_RECORD"
  if systemd_runs; then
    note 'systemctl start docker'
    printf 'systemd\n' >"$ENGINE_RECORD/started"
    quietly systemctl start docker || die 'systemctl could not start docker.'
  else
    note "starting dockerd (log: $ENGINE_RECORD/log)"
    setsid dockerd >"$ENGINE_RECORD/log" 2>&1 </dev/null &
    printf '%s\n' "$!" >"$ENGINE_RECORD/started"
  fi
  await_engine
}

await_engine() {
  local started tries=$((ENGINE_START_SECONDS * 5))
  started=$(<"$ENGINE_RECORD/started")
  until engine_answers; do
    if [[ $started != systemd ]] && ! is_alive "$started"; then fail_to_start 'dockerd ended at once'; fi
    if ((tries-- <= 0)); then fail_to_start "the Docker Engine does not answer after $ENGINE_START_SECONDS s"; fi
    sleep 0.2
  done
}

fail_to_start() {
  if [[ -r $ENGINE_RECORD/log ]]; then
    grep -v 'level=info' "$ENGINE_RECORD/log" | tail -n 20 >&2
    cp "$ENGINE_RECORD/log" "${TMPDIR:-/tmp}/berth-dockerd.log"
    die "$1; its whole log is ${TMPDIR:-/tmp}/berth-dockerd.log."
  fi
  die "$1; see: journalctl -u docker"
}

systemd_runs() { [[ -d /run/systemd/system ]] && have systemctl; }

engine_start_command() {
  if systemd_runs; then
    echo 'sudo systemctl start docker'
  else
    echo "sudo sh -c 'setsid dockerd >/var/log/dockerd.log 2>&1 &'"
  fi
}

# Stops the engine if, and only if, these scripts started it and it is still that one.
stop_engine() {
  local started tries=$((ENGINE_STOP_SECONDS * 5))
  if ! started=$(cat "$ENGINE_RECORD/started" 2>/dev/null); then
    note 'the Docker Engine was not started from here: left as it is'
    return
  fi
  if ! is_root; then
    note 'the Docker Engine was started by root, who alone can stop it: left as it is'
    return
  fi
  if [[ $started == systemd ]]; then
    # Its socket goes too: it was not listening before, else the engine would have answered.
    quietly systemctl stop docker.socket docker.service
  elif [[ $(cat "/proc/$started/comm" 2>/dev/null) == dockerd ]]; then
    kill -TERM "$started"
    while is_alive "$started"; do
      ((tries-- > 0)) || die "dockerd (pid $started) does not end; it is left running."
      sleep 0.2
    done
  fi
  rm -rf "$ENGINE_RECORD"
  note 'the Docker Engine is stopped'
}

# A zombie has ended and only waits for its parent to notice.
is_alive() { [[ $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null) == [!ZX] ]]; }

# What docker/nvidia-stand-in/engine needs beside the engine's own programs.
ensure_stand_in_tools() {
  local missing=()
  have runc || missing+=(runc)
  have ip || missing+=(iproute2)
  have flock || missing+=(util-linux)
  [[ -x /usr/bin/python3 ]] || missing+=(python3)
  have gcc || missing+=(gcc libc6-dev)
  apt_install 'what the test engines need' "${missing[@]}"
}

# ---- Slurm -------------------------------------------------------------------------------------------------------------

# The programs that src/test/slurm/cluster starts. The packages' own services have no configuration, or are nothing to the
# tests: none is started, also where they could be.
ensure_slurm() {
  local policy=/usr/sbin/policy-rc.d made=no
  if is_root && have apt-get && [[ ! -e $policy ]]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
    made=yes
  fi
  # In a subshell: apt_install ends it where it fails, and the policy is to go all the same.
  local status=0
  (apt_install 'what the tests of Slurm need' slurmctld slurmd slurm-client slurmdbd slurm-wlm-basic-plugins munge \
    mariadb-server procps openssh-server openssh-client) || status=$?
  if [[ $made == yes ]]; then rm -f "$policy"; fi
  ((status == 0)) || exit "$status"
  note "Slurm $(dpkg-query -W -f='${Version}' slurmctld 2>/dev/null)"
}

# ---- job image -----------------------------------------------------------------------------------------------------

ensure_job_image() { "$ROOT_DIR/docker/job-image/build" "$JOB_IMAGE"; }
