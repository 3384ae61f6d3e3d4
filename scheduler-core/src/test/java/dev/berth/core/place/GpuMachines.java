package dev.berth.core.place;

import dev.berth.core.job.GpuId;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Machines as {@code nvidia-smi topo -m} prints them; its columns for network cards and cores are left out. */
enum GpuMachines {
    /** DGX-1 with V100: a hybrid cube mesh, six NVLinks a GPU. */
    DGX1("""
            X    NV1  NV1  NV2  NV2  SYS  SYS  SYS
            NV1  X    NV2  NV1  SYS  NV2  SYS  SYS
            NV1  NV2  X    NV2  SYS  SYS  NV1  SYS
            NV2  NV1  NV2  X    SYS  SYS  SYS  NV1
            NV2  SYS  SYS  SYS  X    NV1  NV1  NV2
            SYS  NV2  SYS  SYS  NV1  X    NV2  NV1
            SYS  SYS  NV1  SYS  NV1  NV2  X    NV2
            SYS  SYS  SYS  NV1  NV2  NV1  NV2  X
            """),
    /** DGX A100: all joined to all over NVSwitch. */
    DGX_A100("""
            X    NV12 NV12 NV12 NV12 NV12 NV12 NV12
            NV12 X    NV12 NV12 NV12 NV12 NV12 NV12
            NV12 NV12 X    NV12 NV12 NV12 NV12 NV12
            NV12 NV12 NV12 X    NV12 NV12 NV12 NV12
            NV12 NV12 NV12 NV12 X    NV12 NV12 NV12
            NV12 NV12 NV12 NV12 NV12 X    NV12 NV12
            NV12 NV12 NV12 NV12 NV12 NV12 X    NV12
            NV12 NV12 NV12 NV12 NV12 NV12 NV12 X
            """),
    /** Four GPUs behind two PCIe switches of one processor. */
    TWO_SWITCHES("""
            X    PIX  PHB  PHB
            PIX  X    PHB  PHB
            PHB  PHB  X    PIX
            PHB  PHB  PIX  X
            """),
    /** Four GPUs behind two switches that lie crosswise, on two processors. */
    CROSSED("""
            X    SYS  PIX  SYS
            SYS  X    SYS  PIX
            PIX  SYS  X    SYS
            SYS  PIX  SYS  X
            """),
    /** Every path of PCI Express between eight GPUs of two processors. */
    LADDER("""
            X    PIX  PXB  PXB  SYS  SYS  SYS  SYS
            PIX  X    PXB  PXB  SYS  SYS  SYS  SYS
            PXB  PXB  X    PIX  SYS  SYS  SYS  SYS
            PXB  PXB  PIX  X    SYS  SYS  SYS  SYS
            SYS  SYS  SYS  SYS  X    PHB  NODE NODE
            SYS  SYS  SYS  SYS  PHB  X    NODE NODE
            SYS  SYS  SYS  SYS  NODE NODE X    PHB
            SYS  SYS  SYS  SYS  NODE NODE PHB  X
            """),
    /** Two GPUs without NVLink first, then two pairs with a bridge each. */
    BRIDGES("""
            X    PHB  NODE NODE SYS  SYS
            PHB  X    NODE NODE SYS  SYS
            NODE NODE X    NV4  SYS  SYS
            NODE NODE NV4  X    SYS  SYS
            SYS  SYS  SYS  SYS  X    NV4
            SYS  SYS  SYS  SYS  NV4  X
            """);

    private final String table;

    GpuMachines(String table) {
        this.table = table;
    }

    private List<String[]> rows() {
        return table.lines().map(line -> line.strip().split(" +")).toList();
    }

    /** How two of a simulated machine are joined, by their numbers. */
    interface Links {
        GpuLink between(int one, int other);
    }

    static GpuTopology topology(int size, Links links) {
        SortedMap<GpuId, SortedMap<GpuId, GpuLink>> known = new TreeMap<>();
        for (int one = 0; one < size; one++) {
            for (int other = one + 1; other < size; other++) {
                boolean inOrder = gpu(one).compareTo(gpu(other)) < 0;
                known.computeIfAbsent(inOrder ? gpu(one) : gpu(other), _ -> new TreeMap<>())
                        .put(inOrder ? gpu(other) : gpu(one), links.between(one, other));
            }
        }
        return new GpuTopology(known, new TreeMap<>());
    }

    private static GpuLink link(String cell) {
        return switch (cell) {
            case "PIX" -> new GpuLink(0, GpuLink.Path.SWITCH);
            case "PXB" -> new GpuLink(0, GpuLink.Path.SWITCHES);
            case "PHB" -> new GpuLink(0, GpuLink.Path.HOST_BRIDGE);
            case "NODE" -> new GpuLink(0, GpuLink.Path.NODE);
            case "SYS" -> new GpuLink(0, GpuLink.Path.SYSTEM);
            default -> new GpuLink(Integer.parseInt(cell.substring("NV".length())), GpuLink.Path.SYSTEM);
        };
    }

    static GpuId gpu(int index) {
        return new GpuId("GPU-" + index);
    }

    static List<GpuId> gpus(int count) {
        return IntStream.range(0, count).mapToObj(GpuMachines::gpu).toList();
    }

    GpuTopology topology() {
        List<String[]> rows = rows();
        return topology(rows.size(), (one, other) -> link(rows.get(one)[other]));
    }

    List<GpuId> gpus() {
        return gpus(rows().size());
    }
}
