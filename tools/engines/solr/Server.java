import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Properties;
import javax.servlet.DispatcherType;
import javax.servlet.ServletContextEvent;
import org.apache.solr.servlet.CoreContainerProvider;
import org.apache.solr.servlet.SolrDispatchFilter;
import org.eclipse.jetty.servlet.DefaultServlet;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.server.ServerConnector;

/** Solr in Jetty from the jars of Maven Central: arguments HOME PORT, 0 for a free port. */
public final class Server {
    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        var server = new org.eclipse.jetty.server.Server();
        var connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(Integer.parseInt(arguments[1]));
        server.addConnector(connector);
        var solr = new ServletContextHandler(server, "/solr", ServletContextHandler.SESSIONS);
        solr.setResourceBase(home.toString());
        solr.addEventListener(new CoreContainerProvider() {
            @Override
            public void contextInitialized(ServletContextEvent event) {
                var context = event.getServletContext();
                context.setAttribute(SolrDispatchFilter.PROPERTIES_ATTRIBUTE, new Properties());
                context.setAttribute(SolrDispatchFilter.SOLRHOME_ATTRIBUTE, home.toString());
                super.contextInitialized(event);
            }
        });
        solr.addFilter(SolrDispatchFilter.class, "/*", EnumSet.of(DispatcherType.REQUEST));
        solr.addServlet(DefaultServlet.class, "/");
        server.start();
        Ready.until(home, connector.getLocalPort());
        server.stop();
    }
}
