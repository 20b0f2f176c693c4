"""How well raters agree, and which of them to drop."""
