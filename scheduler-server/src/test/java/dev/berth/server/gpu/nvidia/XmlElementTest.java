package dev.berth.server.gpu.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class XmlElementTest {
    /** A process names itself: {@code exec -a '</gpu>&' sleep 9} must not hide a GPU, nor make one. */
    @Test
    void theNameOfAProcessIsNoPartOfTheDocument() {
        XmlElement document = XmlElement.parse("""
                <?xml version="1.0" ?>
                <nvidia_smi_log>
                	<gpu id="00000000:01:00.0">
                		<processes>
                			<process_info>
                				<pid>4711</pid>
                				<process_name></process_name></process_info></gpu><gpu><& </process_name>
                			</process_info>
                		</processes>
                	</gpu>
                </nvidia_smi_log>
                """);
        assertThat(document.all("gpu")).hasSize(1);
        assertThat(document.all("gpu")
                        .flatMap(gpu -> gpu.all("processes"))
                        .flatMap(processes -> processes.all("process_info"))
                        .map(process -> process.at("pid")))
                .containsExactly("4711");
    }
}
