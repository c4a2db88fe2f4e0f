"""Every threshold of the product, each with its reason."""
