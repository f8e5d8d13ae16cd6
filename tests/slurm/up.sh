#!/usr/bin/env bash
# Starts a Slurm with several nodes on this machine: below a folder, with nothing elsewhere, for tests. Needs root and the
# packages slurmctld, slurmd, slurm-client and munge. Clients find it by SLURM_CONF=FOLDER/slurm.conf.
#
#   tests/slurm/up.sh FOLDER [NODES]           one machine, on which all nodes n1, n2, ... are names only
#   tests/slurm/up.sh --apart FOLDER [NODES]   each node has a host name, processes, a network, /tmp, /dev/shm and an uptime
#                                              of its own, as machines have; FOLDER must not be below /tmp. Needs iproute2.
#
# tests/slurm/down.sh FOLDER ends it.
set -euo pipefail
apart=false
[ "${1:-}" = --apart ] && { apart=true; shift; }
folder=$(realpath -m "$1") nodes=${2:-2}
case "$apart:$folder" in true:/tmp/*) echo "up.sh: $folder is below /tmp, which each node has of its own" >&2; exit 2 ;; esac

# Several may run at a time: each takes a number for its ports and its network.
number=
for i in $(seq 20 120); do
  mkdir "/run/lanescope-slurm.$i" 2>/dev/null && number=$i && break
done
[ -n "$number" ] || { echo "up.sh: /run/lanescope-slurm.* are all taken" >&2; exit 1; }
mkdir -p "$folder"/{munge,state,log,spool}
echo "$number" >"$folder/number"
chmod 755 "$folder"
net=10.231.$number port=$((17000 + number * 40))

# A key and a socket of its own. The socket's folder must be enterable by all and writable by munge only.
dd if=/dev/urandom of="$folder/munge/key" bs=128 count=1 status=none
chown -R munge:munge "$folder/munge"
chmod 711 "$folder/munge"
chmod 400 "$folder/munge/key"
setpriv --reuid=munge --regid=munge --clear-groups munged --socket="$folder/munge/socket" --key-file="$folder/munge/key" \
  --pid-file="$folder/munge/pid" --seed-file="$folder/munge/seed" --log-file="$folder/munge/log"

# Slurm starts its control-group plugin whatever its configuration says.
mountpoint -q /sys/fs/cgroup || mount -t tmpfs tmpfs /sys/fs/cgroup

if $apart; then
  host="$(hostname)($net.254)" listen="" slurmd_port=$((port + 1))
  ip link add "lsbr$number" type bridge
  ip addr add "$net.254/24" dev "lsbr$number"
  ip link set "lsbr$number" up
else
  host="localhost(127.0.0.1)" listen=CommunicationParameters=NoCtldInAddrAny,NoInAddrAny slurmd_port=""
fi
cat >"$folder/slurm.conf" <<CONF
ClusterName=here
SlurmctldHost=$host
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
SlurmctldPort=$port
${slurmd_port:+SlurmdPort=$slurmd_port}
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd.%n
SlurmdParameters=config_overrides
$listen
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
KillWait=3
WaitTime=0
InactiveLimit=0
MinJobAge=300
CONF
for i in $(seq "$nodes"); do
  where="NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 1 + i))"
  $apart && where="NodeHostname=n$i NodeAddr=$net.$i"
  echo "NodeName=n$i $where CPUs=8 RealMemory=1000" >>"$folder/slurm.conf"
done
echo "PartitionName=all Nodes=ALL Default=YES MaxTime=10:00 State=UP OverSubscribe=FORCE:4" >>"$folder/slurm.conf"

export SLURM_CONF="$folder/slurm.conf"
slurmctld -c
for i in $(seq "$nodes"); do
  mkdir -p "$folder/spool/n$i"
  if ! $apart; then
    slurmd -N "n$i"
    continue
  fi
  space=lsn$number-$i veth=lsv$number-$i
  ip netns add "$space"
  ip link add "$veth" type veth peer name eth0 netns "$space"
  ip link set "$veth" master "lsbr$number" up
  ip -n "$space" addr add "$net.$i/24" dev eth0
  ip -n "$space" link set eth0 up
  ip -n "$space" link set lo up
  # Not "ip netns exec": that mounts a /sys without control groups. From / each step finds back to its folder.
  nsenter --net="/run/netns/$space" unshare --uts --ipc --pid --fork --kill-child --mount --mount-proc \
    --time --monotonic=$((i * 100000)) --boottime=$((i * 100000)) \
    bash -c "hostname n$i; mount -t tmpfs tmpfs /tmp; mount -t tmpfs tmpfs /dev/shm; cd /; exec slurmd -D -N n$i" \
    </dev/null >>"$folder/log/out.n$i" 2>&1 &
  echo $! >"$folder/unshare.n$i.pid"
done
for _ in $(seq 100); do
  [ "$(timeout 2 sinfo -h -t idle -o %D 2>/dev/null)" = "$nodes" ] && exit 0
  sleep 0.1
done
echo "up.sh: the nodes did not come up; see $folder/log" >&2
exit 1
