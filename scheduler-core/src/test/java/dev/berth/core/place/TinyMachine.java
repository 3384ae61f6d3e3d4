package dev.berth.core.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuShare;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** GPUs, who holds what of them, and the rules of sharing looked after at each start. */
final class TinyMachine {
    private final List<GpuId> gpus;
    private final GpuTopology topology;
    private final int maxHolders;
    private final Map<Integer, List<GpuShare>> held = new TreeMap<>();

    TinyMachine(List<GpuId> gpus, GpuTopology topology, int maxHolders) {
        this.gpus = gpus;
        this.topology = topology;
        this.maxHolders = maxHolders;
    }

    /** Whether the job got what it asked for; where it did not, nothing that was free would have done. */
    boolean start(int job, int milli) {
        List<GpuShare> granted = milli % GpuRequest.WHOLE == 0 ? whole(milli / GpuRequest.WHOLE) : share(milli);
        if (granted.isEmpty()) {
            assertThat(fits(milli)).as("%s thousandths fit on %s", milli, held).isFalse();
            return false;
        }
        assertThat(granted.stream().mapToInt(GpuShare::milli).sum()).isEqualTo(milli);
        held.put(job, granted);
        granted.forEach(share -> check(share.gpu()));
        return true;
    }

    void end(int job) {
        held.remove(job);
    }

    List<Integer> running() {
        return List.copyOf(held.keySet());
    }

    String usedMilli() {
        return gpus.stream().map(gpu -> Integer.toString(used(gpu))).collect(Collectors.joining(" "));
    }

    private List<GpuShare> whole(int count) {
        List<GpuId> free = gpus.stream().filter(gpu -> used(gpu) == 0).toList();
        return GpuChoice.of(free, count, topology).orElse(List.of()).stream()
                .map(gpu -> new GpuShare(gpu, GpuRequest.WHOLE))
                .toList();
    }

    private List<GpuShare> share(int milli) {
        List<ShareChoice.Candidate> candidates = gpus.stream()
                .map(gpu -> isWhole(gpu)
                        ? new ShareChoice.Candidate(gpu, 0, 0, maxHolders, true)
                        : new ShareChoice.Candidate(gpu, used(gpu), holders(gpu), maxHolders, false))
                .toList();
        return ShareChoice.of(milli, candidates).stream()
                .map(gpu -> new GpuShare(gpu, milli))
                .toList();
    }

    private boolean fits(int milli) {
        return milli >= GpuRequest.WHOLE
                ? gpus.stream().filter(gpu -> used(gpu) == 0).count() * GpuRequest.WHOLE >= milli
                : gpus.stream()
                        .anyMatch(gpu ->
                                used(gpu) + milli <= GpuRequest.WHOLE && holders(gpu) < maxHolders && !isWhole(gpu));
    }

    private void check(GpuId gpu) {
        assertThat(used(gpu)).as("allocated of %s: %s", gpu, held).isLessThanOrEqualTo(GpuRequest.WHOLE);
        assertThat(isWhole(gpu) && holders(gpu) > 1)
                .as("mixed on %s: %s", gpu, held)
                .isFalse();
        assertThat(holders(gpu)).as("jobs on %s", gpu).isLessThanOrEqualTo(maxHolders);
    }

    private int used(GpuId gpu) {
        int used = 0;
        for (GpuShare share : held(gpu)) {
            used += share.milli();
        }
        return used;
    }

    private int holders(GpuId gpu) {
        return held(gpu).size();
    }

    private boolean isWhole(GpuId gpu) {
        return held(gpu).stream().anyMatch(share -> share.milli() == GpuRequest.WHOLE);
    }

    /** By loops: it is asked millions of times. */
    private List<GpuShare> held(GpuId gpu) {
        List<GpuShare> shares = new ArrayList<>();
        for (List<GpuShare> allocation : held.values()) {
            for (GpuShare share : allocation) {
                if (share.gpu().equals(gpu)) {
                    shares.add(share);
                }
            }
        }
        return shares;
    }
}
