package dev.berth.server.doctor;

import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.DoctorView;
import dev.berth.core.job.Gpu;
import dev.berth.server.gpu.GpuDevice;
import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.gpu.nvidia.CudaRequirement;
import dev.berth.server.gpu.nvidia.Driver;
import dev.berth.server.gpu.nvidia.GpuMode;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.EngineFacts;
import dev.berth.server.runner.docker.GpuHandover;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Examination of everything that a job with a GPU needs, in the order in which it needs it. */
public final class MachineExamination {
    private static final String DEFAULT_IMAGE = "berth-job:latest";

    private final Host host;
    private final ExaminedServer server;
    private final Findings findings;

    MachineExamination(Host host, ExaminedServer server, Consumer<DoctorFinding> told) {
        this.host = host;
        this.server = server;
        this.findings = new Findings(told);
    }

    /**
     * For this machine.
     *
     * @param path where programs are looked for, as in the variable PATH
     * @param told hears of each finding as it comes
     */
    public static MachineExamination here(String path, ExaminedServer server, Consumer<DoctorFinding> told) {
        return new MachineExamination(Host.here(path), server, told);
    }

    /** Looks; takes some seconds, and up to half a minute for a GPU that does not answer. */
    public DoctorView examine() {
        if (server.simulated()) {
            findings.warning(
                    "simulated",
                    "server.simulate-gpus simulates GPUs, and no job would see a real one; what follows is about the"
                            + " real ones",
                    "berth server start -g");
        }
        server.failing()
                .forEach(sentence -> findings.warning(
                        "background", sentence, "tail " + server.dataDirectory().resolve("server.log")));
        Optional<GpuInventory> inventory = new DriverCheck(host, findings).look(server.inventory());
        List<GpuDevice> devices = inventory.map(GpuInventory::devices).orElse(List.of());
        if (!devices.isEmpty()) {
            new NodesCheck(host, findings).look(devices);
        }
        PlaceCheck place = new PlaceCheck(host, findings);
        place.sharedMemory();
        place.limits();
        place.configuration(server.configuration());
        place.profiles(server.profiles().now());
        place.safeGpu();
        place.disk(
                "the data directory", server.dataDirectory(), "berth delete --help; du -sh " + server.dataDirectory());
        new NoticesCheck(findings).look(server.notices());
        EngineCheck engines = new EngineCheck(findings);
        Optional<ContainerEngine> engine = engines.connect(server.engine());
        if (engine.isPresent()) {
            try (ContainerEngine connected = engine.get()) {
                engine(engines, connected, inventory);
            }
        }
        return verdict();
    }

    private void engine(EngineCheck engines, ContainerEngine engine, Optional<GpuInventory> inventory) {
        Optional<EngineFacts> facts = engines.facts(engine);
        if (facts.isEmpty()) {
            return;
        }
        List<GpuDevice> devices = inventory.map(GpuInventory::devices).orElse(List.of());
        List<Gpu> gpus = devices.stream().map(GpuDevice::gpu).toList();
        Toolkit toolkit = Toolkit.of(host);
        GpuMode mode = engines.way(facts.get(), server.mode(), gpus);
        new ToolkitCheck(host, findings).look(toolkit, mode);
        new LossCheck(host, findings).look(facts.get().setup(), toolkit, mode, devices);
        new PlaceCheck(host, findings).disk("Docker", facts.get().directory(), "docker system df; docker image prune");
        Optional<String> image = image(engine, inventory.map(Driver::of).orElse(Driver.UNKNOWN));
        if (image.isPresent() && !devices.isEmpty()) {
            GpuHandover handover = new GpuHandover(mode, null, gpus, () -> Driver.UNKNOWN);
            new GpuCheck(engine, handover, findings).look(gpus, image.get(), server.held());
        }
    }

    private Optional<String> image(ContainerEngine engine, Driver driver) {
        String image = server.image();
        try {
            Optional<String> id = engine.findImage(image);
            if (id.isEmpty()) {
                findings.failure(
                        "image",
                        "the image of jobs that name none, " + image + ", is not here; test containers need it",
                        image.equals(DEFAULT_IMAGE) ? "./quickstart" : "docker pull " + image);
                return id;
            }
            Optional<String> refusal = new CudaRequirement(engine.imageEnvironment(id.get())).refusal(image, driver);
            refusal.ifPresentOrElse(
                    sentence -> findings.failure("image", sentence, "berth config show"),
                    () -> findings.ok("image", image + " is here"));
            return refusal.isPresent() ? Optional.empty() : id;
        } catch (EngineException e) {
            findings.failure("image", e.sentence(), "docker image inspect " + image);
            return Optional.empty();
        }
    }

    private DoctorView verdict() {
        List<DoctorFinding> all = findings.all();
        long failures = count(all, DoctorFinding.FAILURE);
        long warnings = count(all, DoctorFinding.WARNING);
        String more = warnings == 0 ? "" : warnings == 1 ? "; 1 warning" : "; " + warnings + " warnings";
        return failures == 0
                ? new DoctorView(true, "a job with a GPU can run" + more, all)
                : new DoctorView(
                        false,
                        "no job with a GPU can run until "
                                + (failures == 1 ? "1 failure is" : failures + " failures are") + " mended" + more,
                        all);
    }

    private static long count(List<DoctorFinding> all, String verdict) {
        return all.stream().filter(finding -> finding.verdict().equals(verdict)).count();
    }
}
